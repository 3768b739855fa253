import type { ArchiveStatus, SinkStatus } from './archive-status-dto.js';
import type { HopsStatus } from './hop-status.js';
import type { HopFault, HopStatus, Status } from './status-dto.js';

/** What `/v1/status` knows before it is summarised. */
export interface StatusFacts extends HopsStatus {
  /** Undefined while the database does not respond. */
  readonly archive: ArchiveStatus | undefined;
}

/** failing: facts or alerts may not arrive. degraded: something needs a person soon. */
export interface Finding {
  readonly level: 'failing' | 'degraded';
  /** One sentence: what is wrong, and what to do next. */
  readonly text: string;
}

const QUEUE_LIMIT_SECONDS = 60;
const CERTIFICATE_LIMIT_DAYS = 14;

/** The state of the bridge in one sentence. @param findings the worst first */
export function summarise(findings: readonly Finding[]): Pick<Status, 'state' | 'summary'> {
  const [worst, ...others] = findings;
  if (worst === undefined)
    return { state: 'ok', summary: 'All apps respond, nothing fails, and no problem is open.' };
  const more = others.length === 0 ? '' : ` (${count(others.length, 'further finding')})`;
  return { state: worst.level, summary: `${worst.text.replace(/\.$/, '')}${more}.` };
}

/** All that is wrong, the worst first. */
export function findWrong(facts: StatusFacts): readonly Finding[] {
  const failing = [
    ...findDatabase(facts),
    ...findApps(facts),
    ...findUnattended(facts),
    ...findSinks(facts),
    ...findDeadLetters(facts),
    ...findCriticalProblems(facts),
  ];
  const degraded = [
    ...findDisabledSinks(facts),
    ...findClosedMargins(facts),
    ...findSingleProcesses(facts),
    ...findLag(facts),
    ...findFaults(facts),
    ...findCertificates(facts),
    ...findLesserProblems(facts),
    ...findNotConfigured(facts),
  ];
  return [
    ...failing.map((text) => ({ level: 'failing' as const, text })),
    ...degraded.map((text) => ({ level: 'degraded' as const, text })),
  ];
}

function findDatabase({ archive }: StatusFacts): readonly string[] {
  return archive === undefined
    ? ['The database does not respond, so nothing is archived and no alert is sent: check PostgreSQL.']
    : [];
}

/** An app that does nothing: no process of it responds, or none is ready. */
function findApps({ hops }: StatusFacts): readonly string[] {
  return [...new Set(hops.map(({ app }) => app))].flatMap((app) => {
    const own = hops.filter((hop) => hop.app === app);
    if (own.every(({ state }) => state === 'unreachable'))
      return [`${own[0]?.detail?.replace(/\.$/, '') ?? app}: start it, or correct its address and network.`];
    return own.every(isOut) ? own.filter(({ state }) => state === 'error').map(describeNotReady) : [];
  });
}

function isOut({ state }: HopStatus): boolean {
  return state === 'unreachable' || state === 'error';
}

function describeNotReady({ name, checks }: HopStatus): string {
  const down = checks.filter(({ isUp }) => !isUp);
  const [first] = down;
  const reason =
    first === undefined ? '' : ` (${first.name}: ${first.message?.replace(/\.$/, '') ?? 'down'})`;
  return `The ${name} is not ready${reason}: correct that, then look at its checks again.`;
}

/** Participants that no poller polls, and channels that no subscriber reads. */
function findUnattended({ polling, archive }: StatusFacts): readonly string[] {
  const codes = polling
    .filter(({ leaseHolder }) => leaseHolder === undefined)
    .map((each) => each.participant);
  const isUnread = archive !== undefined && !archive.replicas.some(({ isReader }) => isReader);
  return [
    ...(codes.length === 0
      ? []
      : [`No poller polls ${listSome(codes)}: look at the log of the pollers, and start one.`]),
    ...(isUnread
      ? ['No subscriber reads the channels: look at the log of the subscribers, and start one.']
      : []),
  ];
}

function findSinks({ archive }: StatusFacts): readonly string[] {
  const failing = archive?.sinks.filter(({ failingSince }) => failingSince !== undefined) ?? [];
  return failing.map(
    ({ sink, failingSince, lastOutcome }) =>
      `The sink ${sink} has accepted no delivery since ${failingSince?.toISOString()} (${lastOutcome ?? 'unknown'}): read its last outcome in /v1/sinks and correct it; its deliveries wait.`,
  );
}

/** Further disabled sinks are counted in one finding. */
const MAX_NAMED_SINKS = 3;

function findDisabledSinks({ archive }: StatusFacts): readonly string[] {
  const disabled = listDisabled(archive);
  const named = disabled.slice(0, MAX_NAMED_SINKS).map(({ sink, disabledReason, disabledBy }) => {
    const why = disabledReason === undefined ? '' : `${disabledReason}, `;
    return `Sink ${sink} is disabled (${why}by ${disabledBy ?? 'unknown'}): busbridge sinks enable ${sink}.`;
  });
  const more = disabled.length - named.length;
  return more === 0
    ? named
    : [...named, `${count(more, 'more sink is', 'more sinks are')} disabled: busbridge sinks list.`];
}

function listDisabled(archive: ArchiveStatus | undefined): readonly SinkStatus[] {
  return archive?.sinks.filter(({ disabledAt }) => disabledAt !== undefined) ?? [];
}

function findClosedMargins({ archive }: StatusFacts): readonly string[] {
  return (archive?.closedMargins ?? []).map(
    ({ participant, level, closedBy }) =>
      `The margin of ${participant} is ${level}, and its problem was closed by ${closedBy}: see "busbridge positions".`,
  );
}

function findDeadLetters({ queue }: StatusFacts): readonly string[] {
  if (queue === undefined || queue.deadLetters === 0) return [];
  return [
    `${count(queue.deadLetters, 'event')} could not be published: read the reasons in /v1/dead-letters, correct them, and retry.`,
  ];
}

function findCriticalProblems({ archive }: StatusFacts): readonly string[] {
  const open = archive?.openProblems.unacknowledgedCritical ?? 0;
  return open === 0
    ? []
    : [
        `${count(open, 'critical problem')} without an acknowledgement: read /v1/problems, act, and acknowledge.`,
      ];
}

/** A process that is out while another of its app works. */
function findSingleProcesses({ hops }: StatusFacts): readonly string[] {
  const works = new Set(hops.filter((hop) => !isOut(hop)).map(({ app }) => app));
  return hops
    .filter((hop) => isOut(hop) && works.has(hop.app))
    .map((hop) =>
      hop.state === 'error' ? describeNotReady(hop) : `${hop.detail?.replace(/\.$/, '')}: start it.`,
    );
}

function findLag({ queue }: StatusFacts): readonly string[] {
  if (queue === undefined || queue.oldestWaitingSeconds <= QUEUE_LIMIT_SECONDS) return [];
  return [
    `An event has waited for ${queue.oldestWaitingSeconds} s in the queue: look at the bus-publisher and its gateway.`,
  ];
}

/** Without the faults about a disabled sink, which is a finding of its own. */
function findFaults({ hops, archive }: StatusFacts): readonly string[] {
  const disabled = listDisabled(archive).map(({ sink }) => sink);
  const isFound = (fault: HopFault): boolean =>
    fault.reason === 'sink-disabled' && fault.interface !== undefined && disabled.includes(fault.interface);
  return hops.flatMap(({ name, faults }) =>
    faults
      .filter((fault) => !isFound(fault))
      .map(({ reason, participant, detail }) => {
        const about = participant === '*' ? '' : ` of ${participant}`;
        return `The ${name} reports ${reason}${about} (${detail.replace(/\.$/, '')}): follow the page of this reason in docs/operate.`;
      }),
  );
}

function findCertificates({ hops }: StatusFacts): readonly string[] {
  return hops.flatMap(({ name: app, certificates }) =>
    certificates
      .filter(({ daysLeft }) => daysLeft < CERTIFICATE_LIMIT_DAYS)
      .map(({ name, participant, daysLeft }) => {
        const whose = participant === undefined ? '' : ` of ${participant}`;
        const when = daysLeft < 0 ? 'has expired' : `expires in ${count(daysLeft, 'day')}`;
        return `The certificate ${name}${whose} of the ${app} ${when}: renew its files.`;
      }),
  );
}

function findLesserProblems({ archive, queue }: StatusFacts): readonly string[] {
  if (archive === undefined) return [];
  const { openProblems, sinks, quarantine, unreadEvents } = archive;
  const warnings = openProblems.warning - (openProblems.disabledSinkWarnings ?? 0);
  const parked = sinks.reduce((sum, each) => sum + each.parked, 0);
  const unverified = queue?.unverifiedDeadLetters ?? 0;
  return [
    ...(warnings > 0 ? [`${count(warnings, 'problem')} of severity warning: read /v1/problems.`] : []),
    ...(parked > 0
      ? [`Sinks have refused ${count(parked, 'delivery', 'deliveries')}: read /v1/deliveries.`]
      : []),
    ...(quarantine.trusted > 0
      ? [
          `${count(quarantine.trusted, 'message')} of trusted senders in the quarantine: read the reasons in /v1/quarantine.`,
        ]
      : []),
    ...(unreadEvents > 0
      ? [
          `${count(unreadEvents, 'archived event')} left out of positions, statements and invoices: read the reasons as docs/api.md describes.`,
        ]
      : []),
    ...(unverified > 0
      ? [
          `${count(unverified, 'job')} that the bridge did not queue: read /v1/dead-letters, and find who writes to Redis.`,
        ]
      : []),
  ];
}

function findNotConfigured({ hops }: StatusFacts): readonly string[] {
  return hops
    .filter(({ state, app }) => state === 'not-configured' && app !== 'gateway')
    .map(({ detail, app }) => `${detail?.replace(/\.$/, '')}, so the API does not see the ${app}: set it.`);
}

const MAX_LISTED = 5;

function listSome(names: readonly string[]): string {
  const shown = names.slice(0, MAX_LISTED).join(', ');
  return names.length > MAX_LISTED ? `${shown} and ${names.length - MAX_LISTED} more` : shown;
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}
