import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '@ssb/tools';
import { parse, stringify } from 'yaml';
import type { SinkKind, SinkReceivers } from '../harness/sink-receivers.js';

const EVERYDAY = join(REPOSITORY_ROOT, 'apps/simulator/scenarios/everyday.yaml');

/** The margins of the breach, AUD. The last one stays until the simulator stops. */
const MARGINS = [
  ...['520000.00', '340000.00', '180000.00', '165000.00'],
  ...Array<string>(8).fill('-62000.00'),
  ...Array<string>(1_000).fill('-190000.00'),
];
/** Below this margin the breach has become deeper. */
export const DEEP_MARGIN = -150_000;

/** Writes the default scenario with one breach that stays, and without long pauses. @returns its path */
export function writeScenario(folder: string): string {
  const { positions, settlement, ...rest } = parse(readFileSync(EVERYDAY, 'utf8')) as {
    readonly positions: object;
    readonly settlement: object;
  };
  const file = join(folder, 'week.yaml');
  const scenario = {
    ...rest,
    positions: {
      ...positions,
      every: '3s',
      forecastEvery: 3,
      breach: { every: MARGINS.length + 10, after: 3, margins: MARGINS },
    },
    settlement: { ...settlement, every: '4s', after: '2s', revisions: { every: '10m', after: '10s' } },
  };
  writeFileSync(file, stringify(scenario));
  return file;
}

/** The sinks of the pictures, by their kinds. */
const SINK_NAMES: Partial<Record<SinkKind, string>> = {
  pagerduty: 'on-call',
  email: 'treasury',
  slack: 'settlement-desk',
};
export const SINK_COUNT = Object.keys(SINK_NAMES).length;

/** Each rule of `config/bridge.yaml` gets the sinks of the pictures; only problems call a person. @param folder that of the receivers */
export function nameSinks(shipped: string, receivers: SinkReceivers, folder: string): string {
  const { alerts, ...config } = parse(shipped) as { readonly alerts: { readonly rules: readonly Rule[] } };
  const sinks = receivers.sinks.flatMap((sink) => {
    const name = SINK_NAMES[sink['kind'] as SinkKind];
    return name === undefined ? [] : [{ ...withAbsolutePaths(sink, folder), name }];
  });
  const rules = alerts.rules.map((rule) => ({
    ...rule,
    sinks: sinks.map(({ name }) => name).filter((name) => rule.name === 'problems' || name !== 'on-call'),
  }));
  return stringify({ ...config, alerts: { ...alerts, sinks, rules } });
}

interface Rule {
  readonly name: string;
}

/** Keys that end with `File` are files. */
function withAbsolutePaths(sink: Readonly<Record<string, unknown>>, folder: string): object {
  return Object.fromEntries(
    Object.entries(sink).map(([key, value]) => [
      key,
      key.endsWith('File') ? join(folder, String(value)) : value,
    ]),
  );
}
