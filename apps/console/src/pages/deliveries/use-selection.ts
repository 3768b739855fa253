import { useCallback, useMemo, useState } from 'react';
import type { DeliveryRow } from '../../api/operations.js';
import { keyOf } from './delivery-selection.js';

/** Which of the rows a person has selected. Rows that are no longer shown are not selected. */
export function useSelection(rows: readonly DeliveryRow[]) {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  const toggle = useCallback(
    (key: string) =>
      setKeys((before) => {
        const after = new Set(before);
        if (!after.delete(key)) after.add(key);
        return after;
      }),
    [],
  );
  const selected = useMemo(() => rows.filter((row) => keys.has(keyOf(row))), [rows, keys]);
  return {
    keys,
    toggle,
    selected,
    selectAll: () => setKeys(new Set(rows.map(keyOf))),
    selectNone: () => setKeys(new Set()),
  };
}
