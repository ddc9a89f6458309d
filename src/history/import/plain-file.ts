/** A file of an import, unpacked if it was packed. */
export interface PlainFile {
  /** Its path as given, with the name inside an archive. */
  readonly file: string;
  /** The path of its plain bytes. */
  readonly path: string;
  /**
   * Its own name, without an archive's extension; for a file in a zip archive, with its folders
   * there.
   */
  readonly name: string;
  /**
   * The SHA-256 of the file as given. It is still being computed, since a large file takes a while.
   */
  readonly sha256: Promise<string>;
}
