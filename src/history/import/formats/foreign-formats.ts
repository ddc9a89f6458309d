import { closeSync, openSync, readSync } from "node:fs";
import { HistoryError } from "../../history-errors.js";
import type { PlainFile } from "../plain-file.js";
import { isParquet, isUtf16 } from "../text/first-line.js";

/** A format of other programs that an import does not read. */
interface ForeignFormat {
  /** Completes "the file ...". */
  readonly is: string;
  /** The bytes that every such file has, as Latin-1 text. */
  readonly magic: string;
  /** The offset of these bytes; 0 if absent. */
  readonly at?: number;
  readonly expected: string;
  /** True if such a file may be text. A file of another format has bytes that no text has. */
  readonly isText?: true;
}

const asParquet = (read: string): string =>
  `Parquet or CSV: in Python ${read}.to_parquet("data.parquet")`;
const unpacked = (command: string): string => `a plain, gzipped or zipped file: ${command}`;
const FROM_NUMPY = `${asParquet('pandas.DataFrame(numpy.load("FILE"))')}; of an .npz file numpy.load("FILE")["NAME"]`;

/**
 * Signatures: Arrow columnar format ("IPC File Format", "IPC Streaming Format"), NumPy format
 * (numpy.lib.format), bzip2, xz (xz-file-format 1.2.1), Zstandard (RFC 8878, 3.1.1), LZ4 frame
 * format 1.6.4, framing format of snappy, HDF5 file format 3.0 (II.A), ORC v1, Avro 1.11 ("Object
 * Container Files"), 7zFormat.txt, RAR 5.0, POSIX ustar, SQLite file format (1.3), DuckDB storage
 * format, MS-CFB (2.2), Git LFS specification.
 */
const FORMATS: readonly ForeignFormat[] = [
  {
    is: "is an Arrow (Feather) file",
    magic: "ARROW1",
    expected: asParquet('pandas.read_feather("FILE")'),
  },
  {
    is: "is a Feather file of version 1",
    magic: "FEA1",
    expected: asParquet('pandas.read_feather("FILE")'),
  },
  {
    is: "is an Arrow stream",
    magic: "\xff\xff\xff\xff",
    expected: asParquet('pyarrow.ipc.open_stream("FILE").read_pandas()'),
  },
  { is: "is a NumPy array", magic: "\x93NUMPY", expected: FROM_NUMPY },
  { is: "is packed with bzip2", magic: "BZh", expected: unpacked("bunzip2 FILE") },
  { is: "is packed with xz", magic: "\xfd7zXZ\0", expected: unpacked("unxz FILE") },
  { is: "is packed with lzma", magic: "\x5d\0\0", expected: unpacked("unlzma FILE") },
  { is: "is packed with Zstandard", magic: "\x28\xb5\x2f\xfd", expected: unpacked("unzstd FILE") },
  { is: "is packed with LZ4", magic: "\x04\x22\x4d\x18", expected: unpacked("unlz4 FILE") },
  { is: "is packed with LZ4", magic: "\x02\x21\x4c\x18", expected: unpacked("unlz4 FILE") },
  { is: "is packed with lzop", magic: "\x89LZO\0", expected: unpacked("lzop -d FILE") },
  { is: "is packed with lzip", magic: "LZIP", expected: unpacked("lzip -d FILE") },
  { is: "is packed with snappy", magic: "\xff\x06\0\0sNaPpY", expected: unpacked("snzip -d FILE") },
  { is: "is packed with compress", magic: "\x1f\x9d", expected: unpacked("uncompress FILE") },
  { is: "is a 7z archive", magic: "7z\xbc\xaf\x27\x1c", expected: unpacked("7z x FILE") },
  { is: "is a RAR archive", magic: "Rar!\x1a\x07", expected: unpacked("unrar x FILE") },
  { is: "is a tar archive", magic: "ustar", at: 257, expected: unpacked("tar -xf FILE") },
  {
    is: "is gzipped within another archive",
    magic: "\x1f\x8b",
    expected: unpacked("unpack the outer archive first"),
  },
  {
    is: "is a zip archive within another archive",
    magic: "PK\x03\x04",
    expected: unpacked("unpack the outer archive first"),
  },
  {
    is: "is an HDF5 file",
    magic: "\x89HDF\r\n\x1a\n",
    expected: asParquet('pandas.read_hdf("FILE")'),
  },
  { is: "is an ORC file", magic: "ORC", expected: asParquet('pandas.read_orc("FILE")') },
  {
    is: "is an Avro file",
    magic: "Obj\x01",
    expected: asParquet('pandas.DataFrame(fastavro.reader(open("FILE", "rb")))'),
  },
  {
    is: "is a pickle of Python",
    magic: "\x80\x02",
    expected: asParquet('pandas.read_pickle("FILE")'),
  },
  {
    is: "is a pickle of Python",
    magic: "\x80\x03",
    expected: asParquet('pandas.read_pickle("FILE")'),
  },
  {
    is: "is a pickle of Python",
    magic: "\x80\x04",
    expected: asParquet('pandas.read_pickle("FILE")'),
  },
  {
    is: "is a pickle of Python",
    magic: "\x80\x05",
    expected: asParquet('pandas.read_pickle("FILE")'),
  },
  {
    is: "is an SQLite database",
    magic: "SQLite format 3\0",
    expected: 'CSV: sqlite3 -header -csv FILE "SELECT * FROM your_table" > data.csv',
  },
  {
    is: "is a DuckDB database",
    magic: "DUCK",
    at: 8,
    expected: "Parquet: COPY your_table TO 'data.parquet' in duckdb FILE",
  },
  {
    is: "is a MATLAB file",
    magic: "MATLAB 5.0",
    expected: asParquet('pandas.DataFrame(scipy.io.loadmat("FILE"))'),
  },
  {
    is: "is an Excel workbook",
    magic: "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    expected: "CSV: save the sheet as CSV",
  },
  {
    is: "is a PDF document",
    magic: "%PDF-",
    expected: "CSV, JSON records or Parquet",
    isText: true,
  },
  {
    is: "is Parquet with an encrypted footer",
    magic: "PARE",
    expected: "Parquet that is not encrypted",
  },
  {
    is: "is a pointer to a file in Git LFS, and not the file itself",
    magic: "version https://git-lfs.github.com/spec/",
    expected: "the file that it points to: git lfs pull",
    isText: true,
  },
];
/** The page that a web server sends for a missing file, saved under the file's name. */
const PAGE = /^\s*<(\?xml|!doctype|html|error)/i;
/**
 * A part that every spreadsheet has. Spreadsheets are zip archives of XML (ECMA-376, part 2;
 * OpenDocument 1.3, part 2).
 */
const OF_SPREADSHEET = /(^|\/)(\[Content_Types\]\.xml|content\.xml)$/;
/** Control characters, which no text contains except in UTF-16. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters tell a binary file from a text
const BINARY = /[\0-\x08\x0e-\x1a\x1c-\x1f]/;
const LOOKED_AT_BYTES = 1024;
/** A longer prefix is not checked: damage further on in a text is reported with its line. */
const BINARY_WITHIN_BYTES = 16;

/**
 * Refuses a file of a foreign format by its first bytes. Read as text it would fail on its bytes or
 * columns, and the error would not say what to do.
 * @param files one file as given, or all files of an archive.
 * @throws HistoryError naming the format, and how to convert the file
 */
export function refuseForeign(files: readonly Pick<PlainFile, "file" | "path" | "name">[]): void {
  const sheet = files.length > 1 ? files.find(({ name }) => OF_SPREADSHEET.test(name)) : undefined;
  if (sheet !== undefined)
    throw new HistoryError(sheet.file, "is a part of a spreadsheet", {
      expected: "CSV: save the sheet as CSV",
    });
  for (const { file, path } of files) {
    const head = headOf(path);
    const isBinary = BINARY.test(head);
    const found = FORMATS.find(
      ({ magic, at = 0, isText = false }) => (isBinary || isText) && head.startsWith(magic, at),
    );
    if (found !== undefined) throw new HistoryError(file, found.is, { expected: found.expected });
    if (PAGE.test(head))
      throw new HistoryError(
        file,
        "is a page of HTML or XML, perhaps a server's answer to a failed download",
        {
          value: head.slice(0, 80),
          expected: "CSV, JSON records or Parquet: download it again",
        },
      );
    if (isParquet(path) || isUtf16(path) || !BINARY.test(head.slice(0, BINARY_WITHIN_BYTES)))
      continue;
    throw new HistoryError(file, "is a binary file of unknown format", {
      value: `0x${Buffer.from(head.slice(0, BINARY_WITHIN_BYTES), "latin1").toString("hex")}`,
      expected: "CSV, JSON records or Parquet",
    });
  }
}

function headOf(path: string): string {
  const bytes = Buffer.alloc(LOOKED_AT_BYTES);
  const handle = openSync(path, "r");
  try {
    return bytes.toString("latin1", 0, readSync(handle, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(handle);
  }
}
