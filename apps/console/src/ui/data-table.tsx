import { tableFeatures, useTable, type ColumnDef, type RowData } from '@tanstack/react-table';
import type { ReactNode } from 'react';
import { Button } from './button.js';
import { Empty } from './notes.js';

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

/** A table; on a narrow screen each row is a block of names and values. */
export function DataTable<Row extends RowData>(props: DataTableProps<Row>) {
  const { caption, columns, rows, rowKey, empty, onMore, isReading = false, isCut = false } = props;
  const table = useTable({
    features,
    data: rows,
    columns: columns.map(({ id, header, cell }): ColumnDef<typeof features, Row> => ({
      id,
      header,
      cell: ({ row }) => cell(row.original),
    })),
    getRowId: rowKey,
  });
  if (rows.length === 0) return <Empty>{empty}</Empty>;
  const kindOf = (id: string): string => columns.find((column) => column.id === id)?.kind ?? '';
  return (
    <div className="table-frame" role="region" aria-label={caption} tabIndex={0}>
      <table className="table">
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id}>
              {group.headers.map((header) => (
                <th key={header.id} scope="col" className={kindOf(header.column.id)}>
                  <table.FlexRender header={header} />
                </th>
              ))}
            </tr>
          ))}
        </thead>
        <tbody>
          {table.getRowModel().rows.map((row) => (
            <tr key={row.id}>
              {row.getAllCells().map((cell) => (
                <td
                  key={cell.id}
                  className={kindOf(cell.column.id)}
                  data-header={columns.find(({ id }) => id === cell.column.id)?.header}
                >
                  <table.FlexRender cell={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {onMore && (
        <Button onClick={onMore} disabled={isReading}>
          {isReading ? 'Reading…' : 'Show more'}
        </Button>
      )}
      {isCut && (
        <p className="hint">
          The list ends after {rows.length.toLocaleString('en-AU')} rows. Filter it to see the others.
        </p>
      )}
    </div>
  );
}
