import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { StatementDetail, StatementVariable, VariablesSummary } from '../../api/operations.js';
import { countOf } from '../../format/count.js';
import { DataTable, type Column } from '../../ui/data-table.js';
import { SelectFilter, TextFilter } from '../../ui/filter-bar.js';
import { useFilters } from '../../ui/use-filters.js';
import { Empty } from '../../ui/notes.js';
import { Facts, Section } from '../../ui/page.js';
import { Amount, Day } from '../../ui/values.js';
import { ORDERS, selectVariables, SIDES } from './select-variables.js';

const PAGE_SIZE = 100;

const COLUMNS: readonly Column<StatementVariable>[] = [
  { id: 'variable', header: 'Variable', cell: ({ variable }) => variable },
  { id: 'tradingDay', header: 'Trading day', cell: ({ tradingDay }) => <Day value={tradingDay} /> },
  { id: 'side', header: 'Side', cell: ({ pOrC }) => SIDES[pOrC] ?? pOrC },
  {
    id: 'gst',
    header: 'GST applies',
    cell: ({ gstApplicable }) => ({ Y: 'yes', N: 'no' })[gstApplicable] ?? gstApplicable,
  },
  { id: 'value', header: 'Value, AUD', kind: 'number', cell: ({ value }) => <Amount value={value} /> },
];

/** The settlement variables of the newest version. */
export function StatementVariables({ statement }: { readonly statement: StatementDetail }) {
  const { variables, variablesSummary, moreVariables, versions } = statement;
  const [newest] = versions;
  if (newest === undefined) return null;
  return (
    <Section title="Variables" className="statement-variables">
      {variablesSummary && <Summary id={statement.id} summary={variablesSummary} />}
      {variables && <VariableTable variables={variables} />}
      {moreVariables && (
        <p className="hint">
          Only the first {variables?.length.toLocaleString('en-AU')} are shown.{' '}
          <Link to="/events/$id" params={{ id: newest.eventId }}>
            The event has all
          </Link>
          .
        </p>
      )}
      {!variables && !variablesSummary && <Empty>The statement has no variables.</Empty>}
    </Section>
  );
}

/** A variable can be repeated. */
type NumberedVariable = StatementVariable & { readonly index: number };

function VariableTable({ variables }: { readonly variables: readonly StatementVariable[] }) {
  const [filters, change] = useFilters();
  const [shown, setShown] = useState(PAGE_SIZE);
  const text = filters['variable'] ?? '';
  const order = ORDERS.find((each) => each === filters['order']) ?? 'statement';
  const rows = selectVariables(variables, { text, order }).map((row, index) => ({ ...row, index }));
  return (
    <>
      <div className="filters">
        <TextFilter label="Variable or day" value={text} onChange={(value) => change({ variable: value })} />
        <SelectFilter
          label="Order"
          value={order}
          onChange={(value) => change({ order: value === 'statement' ? undefined : value })}
          options={[
            { value: 'statement', label: 'As published' },
            { value: 'largest', label: 'Largest first' },
          ]}
        />
        <p className="hint">{countOf(rows.length, 'variable')}</p>
      </div>
      <DataTable<NumberedVariable>
        caption="Variables of the newest version"
        columns={COLUMNS}
        rows={rows.slice(0, shown)}
        rowKey={({ index }) => String(index)}
        empty="No variable matches. Clear the text to see all."
        onMore={rows.length > shown ? () => setShown(shown + PAGE_SIZE) : undefined}
      />
    </>
  );
}

function Summary({ id, summary }: { readonly id: string; readonly summary: VariablesSummary }) {
  const { count, payments, charges, sha256, path } = summary;
  return (
    <>
      <p>
        The statement was too large for its channel, so its event has a summary instead of its variables.{' '}
        <Link to="/statements/$id/differences" params={{ id }}>
          Its differences
        </Link>{' '}
        are complete. All variables: <code>busbridge records get</code> with the SHA-256 below.
      </p>
      <Facts
        rows={[
          ['Variables', count.toLocaleString('en-AU')],
          ['That the market operator pays', payments.toLocaleString('en-AU')],
          ['That the participant pays', charges.toLocaleString('en-AU')],
          ['Path at the market operator', <code key="path">{path}</code>],
          ['SHA-256 of the full record', <code key="sha256">{sha256}</code>],
        ]}
      />
    </>
  );
}
