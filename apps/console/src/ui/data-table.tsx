import { tableFeatures, useTable, type RowData } from '@tanstack/react-table';
import { useMemo, type ReactNode } from 'react';
import { Button } from './button.js';
import { Empty } from './notes.js';
import { TableFrame } from './table-frame.js';

const features = tableFeatures({});

export interface Column<Row> {
  readonly id: string;
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers are aligned at their end. */
  readonly kind?: 'number';
}

interface DataTableProps<Row extends RowData> {
  /** What the rows are, for people who do not see the page. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** Shown instead of a table without rows. */
  readonly empty: ReactNode;
  /** Present while there are further rows. */
  readonly onMore?: (() => void) | undefined;
  readonly isReading?: boolean;
  /** Whether rows are left out that cannot be shown here. */
  readonly isCut?: boolean;
}

/**
 * A table; on a narrow screen each row is a block of names and values. Its roles are explicit, because a block has none by itself.
 */
export function DataTable<Row extends RowData>(props: DataTableProps<Row>) {
  const { caption, columns, rows, rowKey, empty, onMore, isReading = false, isCut = false } = props;
  const ids = columns.map(({ id }) => id).join(' ');
  // Cells are rendered here: a component of the table's own would begin anew, without the focus, at each reading.
  const definitions = useMemo(() => ids.split(' ').map((id) => ({ id })), [ids]);
  const table = useTable({ features, data: rows, columns: definitions, getRowId: rowKey });
  if (rows.length === 0) return <Empty>{empty}</Empty>;
  return (
    <>
      <TableFrame label={caption}>
        <table className="table" role="table">
          <caption className="visually-hidden">{caption}</caption>
          <thead role="rowgroup">
            <tr role="row">
              {columns.map(({ id, header, kind }) => (
                <th key={id} scope="col" role="columnheader" className={kind}>
                  {header}
                </th>
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {table.getRowModel().rows.map((row) => (
              <tr key={row.id} role="row">
                {columns.map(({ id, header, kind, cell }) => (
                  <td key={id} role="cell" className={kind}>
                    <span className="table-name">{header}</span>
                    <div className="table-value">{cell(row.original)}</div>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </TableFrame>
      {onMore && (
        <div className="buttons">
          <Button onClick={onMore} disabled={isReading}>
            {isReading ? 'Reading…' : 'Show more'}
          </Button>
        </div>
      )}
      {isCut && (
        <p className="hint">
          The list ends after {rows.length.toLocaleString('en-AU')} rows, and there are more.
        </p>
      )}
    </>
  );
}
