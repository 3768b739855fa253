import type { Database } from '@ssb/database';
import { parseJson, SettlementInvoice } from '@ssb/market';
import type { SettlementKey } from '../domain/settlement-question.js';
import type { RenderInvoiceFile } from './loading/rows-of.js';

/**
 * The PDF of the latest invoice when it was loaded before files were kept: it is rendered when it is first asked for, and kept then.
 * Undefined when there is no such invoice (any more).
 */
export async function fileMadeNow(
  database: Database,
  render: RenderInvoiceFile,
  participant: string,
  { marketService, periodFrom, designation }: SettlementKey,
): Promise<Uint8Array | undefined> {
  const [found] = await database.query<{ sequence: string; document: string }>(
    `SELECT sequence::text AS sequence, document FROM invoice
     WHERE participant = $1 AND market_service = $2 AND period_from = $3 AND designation = $4
     ORDER BY invoice_date DESC, sequence DESC LIMIT 1`,
    [participant, marketService, periodFrom, designation],
  );
  if (found === undefined) return undefined;
  const reading = SettlementInvoice.readTolerant(parseJson(found.document));
  if (!reading.ok) throw new TypeError(`the stored invoice ${found.sequence} is no invoice`);
  const file = await render(reading.value);
  await database.query('UPDATE invoice SET file = $1 WHERE sequence = $2', [file, found.sequence]);
  return file;
}
