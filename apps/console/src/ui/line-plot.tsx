import { useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { alignLines, textAt, type ChartData } from './chart-data.js';
import { plotOptions } from './plot-options.js';
import { readPlotStyle, watchColours } from './plot-style.js';
import { usePrinting } from './use-printing.js';

interface LinePlotProps {
  readonly data: ChartData;
  readonly formatValue: (value: number) => string;
}

/** Draws a chart on a canvas of the size of its place. */
export function LinePlot({ data, formatValue }: LinePlotProps) {
  const place = useRef<HTMLDivElement>(null);
  const readout = useRef<HTMLParagraphElement>(null);
  const shown = useRef(data);
  const plot = useRef<uPlot>(undefined);
  const isPrinted = usePrinting();
  const [changes, setChanges] = useState(0);
  useEffect(() => watchColours(() => setChanges((count) => count + 1)), []);

  // Before the next effect, so that a new plot is created with the present data.
  useEffect(() => {
    if (shown.current === data) return;
    shown.current = data;
    plot.current?.setData(toColumns(data));
  }, [data]);

  /** uPlot draws other data with the same lines only. */
  const lines = JSON.stringify(data.lines.map(({ isDashed }) => isDashed));
  useEffect(() => {
    const element = place.current!;
    const created = new uPlot(
      plotOptions({
        width: element.clientWidth,
        height: element.clientHeight,
        style: readPlotStyle(element, isPrinted),
        formatValue,
        read: () => shown.current,
        onPoint: (x) => {
          if (readout.current)
            readout.current.textContent =
              (x === undefined ? undefined : textAt(shown.current.lines, x)) ?? '';
        },
      }),
      toColumns(shown.current),
      element,
    );
    plot.current = created;
    const observer = new ResizeObserver(() =>
      created.setSize({ width: element.clientWidth, height: element.clientHeight }),
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      created.destroy();
      plot.current = undefined;
    };
  }, [lines, changes, isPrinted, formatValue]);

  return (
    <>
      <div ref={place} className="chart-plot" aria-hidden="true" />
      <p ref={readout} className="chart-readout" aria-hidden="true" />
    </>
  );
}

const toColumns = ({ lines }: ChartData): uPlot.AlignedData => {
  const [places, ...columns] = alignLines(lines);
  return [places, ...columns];
};
