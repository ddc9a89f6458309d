/** A file of an import, unpacked where it was packed. */
export interface PlainFile {
  /** As it was given, with the name inside an archive. */
  readonly file: string;
  /** Where its plain bytes lie. */
  readonly path: string;
  /** Its own name, without the ending of an archive; of one in a zip archive with the folders that it is in there. */
  readonly name: string;
  /** Of the file as it was given; under way, since a large file takes a while. */
  readonly sha256: Promise<string>;
}
