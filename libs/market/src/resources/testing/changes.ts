import { ABSENT, change } from '@ssb/testing/market-records';
import { serialiseJson, type WireJson } from '../../json.js';

/** The record with several places changed, for what hangs together: path → JSON text, or `ABSENT`. */
export function changeAll(
  record: string,
  changes: Readonly<Record<string, string | typeof ABSENT>>,
): WireJson {
  return Object.entries(changes).reduce<WireJson>(
    (wire, [path, value]) => change(serialiseJson(wire), path, value),
    change(record, 'unused', ABSENT),
  );
}
