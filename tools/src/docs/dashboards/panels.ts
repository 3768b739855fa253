/** The parts of Grafana's panel model that the dashboards use (schema: tools/grafana-schema.json). */
export interface Panel {
  readonly type: 'timeseries' | 'stat' | 'table' | 'state-timeline' | 'row';
  readonly title: string;
  readonly description?: string;
  readonly size: readonly [width: number, height: number];
  readonly targets?: readonly Target[];
  readonly fieldConfig?: { readonly defaults: FieldDefaults; readonly overrides: readonly Override[] };
  readonly options?: Readonly<Record<string, unknown>>;
  readonly transformations?: readonly {
    readonly id: string;
    readonly options: Readonly<Record<string, unknown>>;
  }[];
}

export interface Target {
  readonly refId: string;
  readonly expr: string;
  readonly legendFormat: string;
  readonly instant: boolean;
  readonly range: boolean;
  readonly format: 'time_series' | 'table';
}

export interface FieldDefaults {
  readonly unit?: string | undefined;
  readonly decimals?: number | undefined;
  readonly min?: number | undefined;
  readonly noValue?: string | undefined;
  readonly color: { readonly mode: string; readonly fixedColor?: string };
  readonly thresholds: {
    readonly mode: 'absolute';
    readonly steps: readonly { color: string; value: number | null }[];
  };
  readonly mappings: readonly unknown[];
  readonly custom?: Readonly<Record<string, unknown>>;
}

export interface Override {
  readonly matcher: { readonly id: 'byName' | 'byRegexp'; readonly options: string };
  readonly properties: readonly { readonly id: string; readonly value: unknown }[];
}

/** A query and its legend. A table has the legend as the heading of its column. */
export type Query = readonly [legend: string, expr: string];

export interface PanelOptions {
  readonly title: string;
  /** One sentence. */
  readonly description: string;
  readonly queries: readonly Query[];
  readonly unit?: string;
  readonly decimals?: number;
  readonly min?: number;
  /** Shown when a query has no result. */
  readonly noValue?: string;
  /** Colour from a value on. The colour below the first is green. */
  readonly thresholds?: Readonly<Record<number, 'orange' | 'red' | 'green'>>;
  /** Colour below the first threshold. */
  readonly base?: 'green' | 'orange' | 'red' | 'blue';
  /** Text and colour of single values. */
  readonly states?: readonly (readonly [value: number, text: string, colour: string])[];
  readonly overrides?: readonly Override[];
  readonly size?: readonly [width: number, height: number];
}

export function row(title: string): Panel {
  return { type: 'row', title, size: [24, 1] };
}

export function stat(options: PanelOptions): Panel {
  return {
    ...describe('stat', options, [4, 4]),
    targets: buildTargets(options.queries, 'time_series', true),
    options: {
      colorMode: 'background_solid',
      graphMode: 'none',
      justifyMode: 'center',
      orientation: 'auto',
      percentChangeColorMode: 'standard',
      reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
      showPercentChange: false,
      textMode: 'auto',
      wideLayout: true,
    },
  };
}

/** @param style lines join values, steps hold a value until the next, bars stand for what happened in an interval */
export function timeSeries(options: PanelOptions, style: 'lines' | 'steps' | 'bars' = 'lines'): Panel {
  const custom = {
    drawStyle: style === 'bars' ? 'bars' : 'line',
    lineInterpolation: style === 'steps' ? 'stepAfter' : 'linear',
    lineWidth: 2,
    fillOpacity: style === 'bars' ? 80 : 0,
    showPoints: 'never',
    spanNulls: style !== 'bars',
    stacking: { mode: style === 'bars' ? 'normal' : 'none', group: 'A' },
    thresholdsStyle: { mode: options.thresholds === undefined ? 'off' : 'dashed' },
  };
  return {
    ...describe('timeseries', options, [12, 8], custom),
    targets: buildTargets(options.queries, 'time_series', false),
    options: {
      legend: {
        calcs: style === 'bars' ? [] : ['lastNotNull'],
        displayMode: 'list',
        placement: 'bottom',
        showLegend: true,
      },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
  };
}

export function stateTimeline(options: PanelOptions): Panel {
  return {
    ...describe('state-timeline', options, [12, 5], { fillOpacity: 80, lineWidth: 0 }),
    targets: buildTargets(options.queries, 'time_series', false),
    options: {
      alignValue: 'center',
      legend: { calcs: [], displayMode: 'list', placement: 'bottom', showLegend: false },
      mergeValues: true,
      rowHeight: 0.8,
      showValue: 'auto',
      tooltip: { mode: 'single', sort: 'none' },
    },
  };
}

/** One line for each combination of labels, one column for each label and query. @param hidden labels without a column */
export function table(options: PanelOptions, hidden: readonly string[] = []): Panel {
  const targets = buildTargets(options.queries, 'table', true);
  const valueColumn = (refId: string): string => (targets.length === 1 ? 'Value' : `Value #${refId}`);
  const renameByName = Object.fromEntries(
    targets.map(({ refId }, index) => [valueColumn(refId), options.queries[index]?.[0] ?? refId]),
  );
  const excludeByName = Object.fromEntries(['Time', '__name__', ...hidden].map((name) => [name, true]));
  return {
    ...describe('table', options, [12, 8], { align: 'auto', cellOptions: { type: 'auto' }, inspect: false }),
    targets,
    options: { cellHeight: 'sm', frameIndex: 0, showHeader: true },
    transformations: [
      { id: 'merge', options: {} },
      { id: 'organize', options: { excludeByName, indexByName: {}, renameByName } },
    ],
  };
}

/** An override of one field or column. */
export function field(name: string, properties: Readonly<Record<string, unknown>>): Override {
  return {
    matcher: name.startsWith('/') ? { id: 'byRegexp', options: name } : { id: 'byName', options: name },
    properties: Object.entries(properties).map(([id, value]) => ({ id, value })),
  };
}

/** `thresholds` of Grafana. */
export function buildThresholds(
  thresholds: PanelOptions['thresholds'] = {},
  base: PanelOptions['base'] = 'green',
): FieldDefaults['thresholds'] {
  const steps = Object.entries(thresholds)
    .map(([value, color]) => ({ color: color as string, value: Number(value) }))
    .sort((left, right) => left.value - right.value);
  return { mode: 'absolute', steps: [{ color: base, value: null }, ...steps] };
}

function describe(
  type: Panel['type'],
  { title, description, unit, decimals, min, noValue, states, overrides = [], ...options }: PanelOptions,
  size: Panel['size'],
  custom?: Readonly<Record<string, unknown>>,
): Panel {
  const results = (states ?? []).map(([value, text, color], index) => [
    String(value),
    { color, index, text },
  ]);
  return {
    type,
    title,
    description,
    size: options.size ?? size,
    fieldConfig: {
      defaults: {
        unit,
        decimals,
        min,
        noValue,
        color: { mode: type === 'timeseries' ? 'palette-classic' : 'thresholds' },
        thresholds: buildThresholds(options.thresholds, options.base),
        mappings:
          states === undefined ? [] : [{ type: 'value', options: Object.fromEntries(results) as unknown }],
        ...(custom === undefined ? {} : { custom }),
      },
      overrides,
    },
  };
}

function buildTargets(queries: readonly Query[], format: Target['format'], instant: boolean): Target[] {
  return queries.map(([legendFormat, expr], index) => ({
    refId: String.fromCharCode(65 + index),
    expr,
    legendFormat,
    instant,
    range: !instant,
    format,
  }));
}
