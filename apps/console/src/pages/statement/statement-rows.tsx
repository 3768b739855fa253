import type { ReactNode } from 'react';

interface RowsProps {
  readonly rows: readonly (readonly [name: string, value: ReactNode])[];
  /** The last row is the sum of those before. */
  readonly hasSum?: boolean;
}

/** Names at the left and values at the right; a value that does not fit is below its name. */
export function Rows({ rows, hasSum = false }: RowsProps) {
  return (
    <dl className={hasSum ? 'statement-rows statement-rows-sum' : 'statement-rows'}>
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
