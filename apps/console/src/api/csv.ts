import { ApiError, request, toAddress, type ListingPath, type Parts } from './api-client.js';
import { MAX_PAGES } from './max-pages.js';
import { saveFile } from './save-file.js';

/**
 * Reads all pages of a listing as CSV, and saves them as one file.
 * @throws ApiError
 */
export async function downloadCsv(
  path: ListingPath,
  parts: Parts,
  query: Parameters<typeof toAddress>[2],
  fileName: string,
): Promise<void> {
  const pages: string[] = [];
  let address: string | undefined = toAddress(path, parts, query);
  while (address !== undefined) {
    if (pages.length === MAX_PAGES)
      throw new ApiError(undefined, 'Too many rows', 'Choose fewer days, then download again.');
    const init = { headers: { accept: 'text/csv' } };
    address = await request(address, init, async (response) => {
      pages.push(await response.text());
      return readNextAddress(response.headers.get('link') ?? '');
    });
  }
  saveFile(new Blob([joinCsv(pages)], { type: 'text/csv' }), fileName);
}

/** The address of the next page in a header `Link` (RFC 8288). */
export function readNextAddress(link: string): string | undefined {
  return /<(\/[^>]*)>; rel="next"/.exec(link)?.[1];
}

/** One file with the header line of the first page. */
export function joinCsv([first = '', ...others]: readonly string[]): string {
  return [first, ...others.map((page) => page.replace(/^[^\n]*\n/, ''))]
    .map((page) => (page === '' || page.endsWith('\n') ? page : `${page}\n`))
    .join('');
}
