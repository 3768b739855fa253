import type { ProblemDetail } from '../../api/operations.js';
import { DataTable, type Column } from '../../ui/data-table.js';
import { Section } from '../../ui/page.js';
import { FigureValue } from './measure-value.js';
import { listFigures, type FigureRow } from './problem-figures.js';

/** The figures of a problem now, and the worst that an event announced where they differ. */
export function FiguresTable({ problem }: { readonly problem: ProblemDetail }) {
  const rows = listFigures(problem);
  const differs = rows.some(({ now, worst }) => now !== worst && worst !== undefined);
  const columns: Column<FigureRow>[] = [
    { id: 'label', header: 'Figure', cell: ({ label }) => label },
    {
      id: 'now',
      header: problem.endedAt === undefined ? 'Now' : 'At its end',
      kind: 'number',
      cell: ({ form, now }) => <FigureValue form={form} value={now} />,
    },
    {
      id: 'worst',
      header: 'Worst announced',
      kind: 'number',
      cell: ({ form, worst }) => <FigureValue form={form} value={worst} />,
    },
  ];
  return (
    <Section title="Figures" className="problem-figures">
      <DataTable
        caption="Figures of the problem"
        columns={differs ? columns : columns.slice(0, 2)}
        rows={rows}
        rowKey={({ name }) => name}
        empty="The events of this problem have no figures."
      />
    </Section>
  );
}
