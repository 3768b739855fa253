import { ApiError, toAddress, type ListingPath, type Parts } from './api-client.js';

/** More rows than a spreadsheet takes. */
const MAX_PAGES = 1_000;

/** A record of CSV with its line end. A quoted cell can have line ends. */
const FIRST_RECORD = /^(?:"(?:[^"]|"")*"|[^"\n])+\n/;

/**
 * Saves all rows of a listing as a file for a spreadsheet.
 * @throws ApiError
 */
export async function downloadCsv(
  path: ListingPath,
  parts: Parts,
  query: Parameters<typeof toAddress>[2],
  fileName: string,
): Promise<void> {
  const texts: string[] = [];
  let address: string | undefined = toAddress(path, parts, query);
  while (address !== undefined && texts.length < MAX_PAGES) {
    const { text, next } = await readCsv(address);
    // Each page begins with the same head.
    texts.push(texts.length === 0 ? text : text.replace(FIRST_RECORD, ''));
    address = next;
  }
  saveAsFile(new Blob(texts, { type: 'text/csv;charset=utf-8' }), fileName);
}

async function readCsv(address: string): Promise<{ text: string; next: string | undefined }> {
  const response = await fetch(address, { headers: { accept: 'text/csv' } }).catch(() => {
    throw new ApiError(undefined, 'No response', 'The server does not respond. Check your connection.');
  });
  const text = await response.text();
  if (!response.ok) throw new ApiError(response.status, 'The file could not be read', readDetail(text));
  const [, next] = /<([^>]+)>;\s*rel="next"/.exec(response.headers.get('link') ?? '') ?? [];
  return { text, next };
}

function readDetail(text: string): string {
  try {
    const { detail } = JSON.parse(text) as { readonly detail?: string };
    return detail ?? 'Try again in a minute.';
  } catch {
    return 'Try again in a minute.';
  }
}

function saveAsFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
