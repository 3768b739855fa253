import { fenced, figure, milliseconds, whole } from '../figures.js';
import type { BusFigures, BusRun } from './measure-bus.js';
import { IN_FLIGHT } from './publish.js';

export function renderBus({ runs, messages, idle, memory }: BusFigures): string {
  const perSecond = (value: number): string => `${whole(value)}/s`;
  const ratio = (value: number): string => value.toFixed(2);
  const row = (what: string, of: (run: BusRun) => number, write: (value: number) => string) =>
    figure(what, runs.map(of), write);
  return [
    `${runs.length} runs of ${whole(messages)} messages of 1 kB, ${IN_FLIGHT} in flight, schema and signature checked, durable at the broker on Redis Streams.`,
    'Delivery is the time from the request to the subscriber’s socket, at 500 messages a second. Peers take the same request and do nothing with it.',
    '',
    fenced(
      ['what', 'median', 'runs'],
      [
        row('published (goal: 3 800)', ({ published }) => published.perSecond, perSecond),
        row('published, p99', ({ published }) => published.p99, milliseconds),
        row('delivery, p50 (goal: below 5 ms)', ({ delivery }) => delivery.p50, milliseconds),
        row('delivery, p99 (goal: below 20 ms)', ({ delivery }) => delivery.p99, milliseconds),
        row('quiet channel by itself, p99', ({ quiet }) => quiet.p99, milliseconds),
        row(
          'quiet channel beside a busy one, p50',
          ({ quietBesideBusy }) => quietBesideBusy.p50,
          milliseconds,
        ),
        row(
          'quiet channel beside a busy one, p99',
          ({ quietBesideBusy }) => quietBesideBusy.p99,
          milliseconds,
        ),
        row('engine append alone', ({ append }) => append, perSecond),
        row('Fastify alone', ({ fastify }) => fastify, perSecond),
        row('Nest on Fastify with validation alone', ({ nest }) => nest, perSecond),
        row('sign and recover alone', ({ signAndRecover }) => signAndRecover, perSecond),
        row(
          'published / Nest alone (goal: 0.33)',
          ({ published, nest }) => published.perSecond / nest,
          ratio,
        ),
      ],
    ),
    '',
    fenced(
      ['process', 'resident MiB', 'highest MiB'],
      [
        ...memory.map(({ name, resident, highest }) => [name, String(resident), String(highest)]),
        [`${whole(idle.clients)} idle clients: subscriber, before`, String(idle.before.resident), ''],
        [`${whole(idle.clients)} idle clients: subscriber, with them`, String(idle.with.resident), ''],
      ],
    ),
  ].join('\n');
}
