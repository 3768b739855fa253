import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@ssb/dev/free-ports';
import { waitFor } from '@ssb/testing';
import { runDemo } from '../../demo/run-demo.js';
import { startServer } from '../../lifecycle/launched-process.js';
import { ResourceStack } from '../../lifecycle/resource-stack.js';
import { EVENT_STEPS, listSteps, traceSettings } from '../../traces/event-steps.js';
import { CheckFailure } from '../check-failure.js';
import { parseCollectorOutput, type CollectorSpan } from './collector-output.js';

export interface CheckTracesOptions {
  readonly print: (line: string) => void;
  /** Path of an OpenTelemetry collector with the OTLP receiver and the debug exporter. */
  readonly collector: string;
}

const EVENT_TYPE = 'settlementbus.margin.breached.v1';
const DEMO_TIMEOUT_SECONDS = 120;

/** Each app sends its spans every two seconds. */
const TRACE_TIMEOUT_MS = 30_000;

/**
 * Runs the demo with traces on and a real collector, and checks that the margin breach is one trace through all apps.
 * @throws CheckFailure when it is not
 */
export async function checkTraces({ print, collector: program }: CheckTracesOptions): Promise<void> {
  const resources = new ResourceStack();
  try {
    const collector = await startCollector(program, resources);
    const { ok, missing } = await runDemo(
      {
        scenario: 'demo',
        timeoutSeconds: DEMO_TIMEOUT_SECONDS,
        searchPath: process.env['PATH'] ?? '',
        print: (text) => print(text.trimEnd()),
        printer: { writeLine: print, writeAlert: print },
        overrides: traceSettings(collector.endpoint),
      },
      resources,
    );
    if (!ok)
      throw new CheckFailure(`The demo lacks ${missing.length} events, so there is no trace to check.`);
    const trace = await waitForTrace(collector);
    const steps = listSteps(trace);
    const unexpected = steps.filter((step) => !EVENT_STEPS.includes(step));
    if (unexpected.length > 0)
      throw new CheckFailure(`The trace has unexpected steps: ${unexpected.join('; ')}.`);
    print(`One trace of ${EVENT_TYPE}, ${trace.length} spans from ${countServices(trace)} apps:`);
    for (const step of steps) print(`  ${step}`);
  } finally {
    await resources.release();
  }
}

interface Collector {
  readonly endpoint: string;
  readonly output: () => string;
}

async function startCollector(program: string, resources: ResourceStack): Promise<Collector> {
  const folder = mkdtempSync(join(tmpdir(), 'settlement-bus-bridge-collector-'));
  await resources.defer(() => rmSync(folder, { recursive: true, force: true }));
  const address = `127.0.0.1:${await freePort()}`;
  const file = join(folder, 'collector.yaml');
  writeFileSync(file, collectorConfig(address));
  const collector = await startServer(program, ['--config', file], ['ignore', 'pipe', 'pipe'], resources);
  let [output, log] = ['', ''];
  collector.stdout?.setEncoding('utf8').on('data', (text: string) => (output += text));
  collector.stderr?.setEncoding('utf8').on('data', (text: string) => (log += text));
  await waitFor(
    () => `the collector to start: ${log.slice(-1_000)}`,
    () => log.includes('Everything is ready'),
    TRACE_TIMEOUT_MS,
  );
  return { endpoint: `http://${address}/v1/traces`, output: () => output };
}

/** JSON is YAML. */
function collectorConfig(address: string): string {
  return JSON.stringify({
    receivers: { otlp: { protocols: { http: { endpoint: address } } } },
    exporters: { debug: { verbosity: 'detailed', use_internal_logger: false } },
    service: {
      telemetry: { metrics: { level: 'none' } },
      pipelines: { traces: { receivers: ['otlp'], exporters: ['debug'] } },
    },
  });
}

/** The spans of the first breach, once they include every step. */
async function waitForTrace({ output }: Collector): Promise<CollectorSpan[]> {
  const find = (): CollectorSpan[] => {
    const spans = parseCollectorOutput(output());
    const root = spans.find(({ name, eventType }) => name === 'event detect' && eventType === EVENT_TYPE);
    return spans.filter(({ traceId }) => traceId === root?.traceId);
  };
  const missing = (): string[] => {
    const steps = listSteps(find());
    return EVENT_STEPS.filter((step) => !steps.includes(step));
  };
  await waitFor(
    () => `these steps of the trace: ${missing().join('; ')}`,
    () => missing().length === 0,
    TRACE_TIMEOUT_MS,
  );
  return find();
}

function countServices(spans: readonly CollectorSpan[]): number {
  return new Set(spans.map(({ service }) => service)).size;
}
