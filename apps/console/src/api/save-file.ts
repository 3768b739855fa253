/** The browser may still read the file after the click; long enough for a slow disk. */
const KEEP_MS = 60_000;

/** Saves content as a file of the person. */
export function saveFile(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEEP_MS);
}
