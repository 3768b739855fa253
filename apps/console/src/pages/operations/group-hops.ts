import type { HopFault, HopStatus, Status } from '../../api/operations.js';
import type { Tone } from '../../ui/badge.js';

export const HOP_TONES: Readonly<Record<HopStatus['state'], Tone>> = {
  ok: 'good',
  degraded: 'warning',
  error: 'critical',
  unreachable: 'critical',
  'not-configured': 'muted',
};

/** The path of an event. */
const APPS: readonly HopStatus['app'][] = ['poller', 'bus-publisher', 'gateway', 'subscriber'];

export interface AppGroup {
  readonly app: HopStatus['app'];
  readonly processes: readonly HopStatus[];
}

/** The processes of each app, in the order in which an event passes them. */
export function groupHops(hops: readonly HopStatus[]): readonly AppGroup[] {
  return APPS.map((app) => ({ app, processes: hops.filter((hop) => hop.app === app) })).filter(
    ({ processes }) => processes.length > 0,
  );
}

/** Versions that run, and which processes have each; one entry when all are the same. */
export function listVersions(hops: readonly HopStatus[]): ReadonlyMap<string, readonly string[]> {
  const versions = new Map<string, string[]>();
  for (const { name, version } of hops)
    if (version !== undefined) versions.set(version, [...(versions.get(version) ?? []), name]);
  return versions;
}

export type ReportedFault = HopFault & { readonly process: string };

/** The faults of all processes, the oldest first. */
export function listFaults(hops: readonly HopStatus[]): readonly ReportedFault[] {
  return hops
    .flatMap(({ name, faults }) => faults.map((fault) => ({ ...fault, process: name })))
    .sort((one, other) => (one.since < other.since ? -1 : 1));
}

export type OwnedCertificate = HopStatus['certificates'][number] & { readonly process: string };

/** The certificates of all processes, the one that expires first at the top. */
export function listCertificates(hops: readonly HopStatus[]): readonly OwnedCertificate[] {
  return hops
    .flatMap(({ name, certificates }) => certificates.map((each) => ({ ...each, process: name })))
    .sort((one, other) => one.daysLeft - other.daysLeft);
}

const WARNING_DAYS = 30;
const CRITICAL_DAYS = 7;

export function certificateTone(daysLeft: number): Tone {
  if (daysLeft < CRITICAL_DAYS) return 'critical';
  return daysLeft < WARNING_DAYS ? 'warning' : 'good';
}

/** What the state of the bridge means. */
export const STATES: Readonly<Record<Status['state'], { readonly tone: Tone; readonly text: string }>> = {
  ok: { tone: 'good', text: 'Everything works' },
  degraded: { tone: 'warning', text: 'Something needs a person soon' },
  failing: { tone: 'critical', text: 'Facts or alerts may not arrive' },
};
