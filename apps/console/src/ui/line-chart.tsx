import { lazy, Suspense, useState, type ReactNode } from 'react';
import type { ChartData } from './chart-data.js';
import { ErrorBoundary } from './error-boundary.js';
import { Empty } from './notes.js';
import './line-chart.css';

const loadPlot = () => import('./line-plot.js');
const LinePlot = lazy(async () => ({ default: (await loadPlot()).LinePlot }));

/** Loads what draws charts before their figures are read. */
export function preloadCharts(): void {
  loadPlot().catch(() => undefined);
}

interface LineChartProps {
  /** What the chart shows, in sentences, for people who do not see it. */
  readonly label: string;
  readonly data: ChartData;
  readonly formatValue: (value: number) => string;
  /** The same figures as a table. */
  readonly table: () => ReactNode;
}

/** Lines and thresholds on a canvas, with a table of the same figures behind a click. */
export function LineChart({ label, data, formatValue, table }: LineChartProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <figure className="chart">
      <ErrorBoundary
        fallback={<Empty>The chart could not be loaded. Reload the page, or open its figures.</Empty>}
      >
        <div role="img" aria-label={label} className="chart-frame">
          <Suspense fallback={<div className="chart-plot" />}>
            <LinePlot data={data} formatValue={formatValue} />
          </Suspense>
        </div>
      </ErrorBoundary>
      <figcaption className="chart-legend">
        {data.lines.map(({ name, isDashed }) => (
          <span key={name} className={isDashed ? 'chart-key dashed' : 'chart-key'}>
            {name}
          </span>
        ))}
      </figcaption>
      <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
        <summary>Figures of the chart</summary>
        {isOpen && table()}
      </details>
    </figure>
  );
}
