import { useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { alignLines, textAt, type ChartData } from './chart-data.js';
import { plotOptions } from './plot-options.js';
import { readPlotStyle, watchColourScheme } from './plot-style.js';

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
  const [scheme, setScheme] = useState(0);
  useEffect(() => watchColourScheme(() => setScheme((count) => count + 1)), []);

  const lineCount = data.lines.length;
  useEffect(() => {
    const element = place.current!;
    const created = new uPlot(
      plotOptions({
        width: element.clientWidth,
        height: element.clientHeight,
        style: readPlotStyle(element),
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
    };
  }, [lineCount, scheme, formatValue]);

  useEffect(() => {
    if (shown.current === data) return;
    shown.current = data;
    plot.current?.setData(toColumns(data));
  }, [data]);

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
