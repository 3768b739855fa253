import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '@ssb/tools';
import type { FilledSystem } from '../harness/filled-system.js';

export interface ConsolePage {
  /** As the router of the console has it. */
  readonly route: string;
  readonly heading: string | RegExp;
  /** Listing of the API whose first row has the values of the route. */
  readonly listing?: string;
  /** What the page says to a viewer about actions. */
  readonly viewer?: string | RegExp;
  /** It says so to people who do not see all participants. */
  readonly needsAllParticipants?: true;
}

const REVISED = 'events?type=settlementbus.statement.revised.v1';

export const PAGES: readonly ConsolePage[] = [
  { route: '/', heading: 'Overview' },
  { route: '/problems', heading: 'Problems', viewer: 'Only operators acknowledge.' },
  {
    route: '/problems/$id',
    heading: /^WPGENCO: /,
    listing: 'problems?kind=margin&state=open&state=acknowledged&state=resolved',
    viewer: /Only operators acknowledge, silence and close\./,
  },
  { route: '/silences', heading: 'Silences', viewer: 'Only operators add and end silences.' },
  { route: '/calendar', heading: 'Settlement calendar' },
  { route: '/statements/$id', heading: /WEM/, listing: REVISED },
  { route: '/statements/$id/differences', heading: /^Differences of /, listing: REVISED },
  { route: '/money', heading: 'Money' },
  { route: '/events', heading: 'Events' },
  { route: '/events/$id', heading: /margin/i, listing: 'events?type=settlementbus.margin.breached.v1' },
  { route: '/deliveries', heading: 'Deliveries', viewer: 'Only operators resend, skip and replay.' },
  {
    route: '/deliveries/$eventId/$sink',
    heading: / to (log|treasury)$/,
    listing: 'deliveries?type=settlementbus.margin.breached.v1',
    viewer: 'Only operators resend and skip deliveries.',
  },
  {
    route: '/sinks',
    heading: 'Sinks',
    viewer: 'Only operators test, enable and disable sinks.',
    needsAllParticipants: true,
  },
  { route: '/operations', heading: 'Operations', needsAllParticipants: true },
  {
    route: '/operations/dead-letters',
    heading: 'Dead letters',
    viewer: 'Only operators retry and remove them.',
    needsAllParticipants: true,
  },
  {
    route: '/operations/quarantine',
    heading: 'Quarantine',
    viewer: 'Only operators evaluate the quarantine again.',
    needsAllParticipants: true,
  },
  {
    route: '/operations/quarantine/$id',
    heading: 'Quarantined message',
    listing: 'quarantine',
    viewer: 'Only operators evaluate the quarantine again.',
    needsAllParticipants: true,
  },
  { route: '/operations/audit', heading: 'Audit log', needsAllParticipants: true },
];

/** The address of a page, with the values of a row that exists. */
export async function addressOf(system: FilledSystem, { route, listing }: ConsolePage): Promise<string> {
  if (listing === undefined) return route;
  const { items } = await system.get<{ readonly items: readonly Readonly<Record<string, string>>[] }>(
    `/v1/${listing}`,
  );
  const [row] = items;
  if (row === undefined) throw new Error(`${listing} has no row`);
  return route.replaceAll(/\$(\w+)/g, (_, name: string) => encodeURIComponent(row[name] ?? ''));
}

/** The routes in the source of the console. */
export function readRoutes(): readonly string[] {
  const source = readFileSync(join(REPOSITORY_ROOT, 'apps/console/src/router.tsx'), 'utf8');
  return [...source.matchAll(/\bpath: '([^']+)'/g)].map(([, path = '']) => path);
}
