import { BULK_MEDIA_TYPE, BULK_PATH } from '@ssb/market';

/** Statements of many participants and days: the public notes speak of payloads up to 10 MB. */
export const LARGEST_RECORD = 10 * 1024 * 1024;
/** Several days of five-minute detail for a hundred participants; what is larger comes in several loads. */
export const LARGEST_BULK = 64 * 1024 * 1024;

/** What a body at an address may be. */
export interface BodyForm {
  readonly mediaTypes: readonly string[];
  readonly largestBytes: number;
}

export const JSON_BODY: BodyForm = { mediaTypes: ['application/json'], largestBytes: LARGEST_RECORD };
/** JSON lines have several names, none of them registered. */
export const JSON_LINES: BodyForm = {
  mediaTypes: [BULK_MEDIA_TYPE, 'application/jsonl'],
  largestBytes: LARGEST_BULK,
};

/** @param route the address as the route was declared */
export function bodyFormAt(route: string): BodyForm {
  return route === BULK_PATH ? JSON_LINES : JSON_BODY;
}

/** The media type of a Content-Type header without its parameters, in small letters (RFC 9110 §8.3.1). */
export function mediaTypeOf(contentType: string | undefined): string | undefined {
  const [name = ''] = (contentType ?? '').split(';', 1);
  return name.trim() === '' ? undefined : name.trim().toLowerCase();
}
