import type { StatementVariable } from '@ssb/market';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { z } from 'zod';
import { parseSaved } from './parse-saved.js';

/** Version of the saved form. The text of another version is not read. */
const VERSION = 1;
const MAX_JSON_BYTES = 64 * 1024 * 1024;

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** A text begins so. */
export const startOf = (digest: string): string => `${VERSION} ${digest} `;
/** Finds the digest of a text behind its authentication code. */
export const DIGEST = new RegExp(`^\\S+ ${VERSION} (\\S+) `);

const rows = z.array(z.tuple([z.string(), z.string(), z.string(), z.string(), z.string()]));

export async function formatVariables(variables: readonly StatementVariable[]): Promise<string> {
  const text = JSON.stringify(
    variables.map(({ tradingDay, variable, pOrC, gstApplicable, value }) => [
      tradingDay,
      variable,
      pOrC,
      gstApplicable,
      value,
    ]),
  );
  return (await compress(text)).toString('base64');
}

/** @returns undefined when the text is not in the form of this release */
export async function parseVariables(text: string): Promise<readonly StatementVariable[] | undefined> {
  const bytes = Buffer.from(text, 'base64');
  const json = await decompress(bytes, { maxOutputLength: MAX_JSON_BYTES }).catch(() => undefined);
  return parseSaved(rows, json?.toString() ?? '')?.map(
    ([tradingDay, variable, pOrC, gstApplicable, value]) => ({
      tradingDay,
      variable,
      pOrC,
      gstApplicable,
      value,
    }),
  );
}
