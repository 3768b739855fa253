import { renderFittedTable, StyledText, type Column, type Style } from '@ssb/platform/cli';
import { withCommands } from '../api/listings.js';
import type {
  ArchiveStatus,
  CertificateStatus,
  HopStatus,
  InterfaceStatus,
  PollingStatus,
  QueueStatus,
  Status,
} from '../api/operations.js';
import { countOf, renderFields, renderParts, showAge, showTime } from '../output/text.js';

/** So that the whole fits one screen: parts have at most this many lines. */
const MAX_FINDINGS = 4;
const MAX_APPS = 8;
const MAX_LINES = 3;
/** Of the API: below this a certificate is a finding. */
const CERTIFICATE_LIMIT_DAYS = 14;
const QUEUE_LIMIT_SECONDS = 60;

const STATE_STYLES = { ok: 'good', degraded: 'warning', failing: 'bad' } as const satisfies Record<
  string,
  Style
>;

/**
 * The state of the bridge on one screen: what is wrong first, then what each part does.
 * @param worst line about the worst problem
 */
export function renderStatus(
  status: Status,
  worst: StyledText | undefined,
  width: number | undefined,
): StyledText {
  const { state, summary, findings, hops, polling, queue, archive, databaseDetail, at } = status;
  const [, ...further] = findings;
  return renderParts([
    [
      '',
      lines([
        StyledText.join(
          [StyledText.of(state.toUpperCase(), STATE_STYLES[state]), StyledText.of(withCommands(summary))],
          '  ',
        ),
        ...(worst === undefined ? [] : [worst]),
        ...limit(
          further.map((text) => `- ${withCommands(text)}`),
          MAX_FINDINGS,
        ).map((text) => StyledText.of(text)),
      ]),
    ],
    ['', renderApps(hops, width)],
    [
      '',
      renderFields([
        ...(queue === undefined ? [] : describeQueue(queue)),
        ...describePolling(polling, Date.parse(at)),
        ...(archive === undefined ? [] : describeArchive(archive)),
        ['database', databaseDetail, 'bad'],
        ...describeCertificates(hops),
        ['at', showTime(at), 'dim'],
      ]),
    ],
  ]);
}

type Field = readonly [name: string, value: string | undefined, style?: Style | undefined];

const lines = (texts: readonly StyledText[]): StyledText => StyledText.join(texts, '\n');

/** The first texts, and how many more there are. */
function limit(texts: readonly string[], max: number): readonly string[] {
  if (texts.length <= max) return texts;
  return [...texts.slice(0, max - 1), `and ${texts.length - max + 1} more: --json has all`];
}

/** One field of several lines, whose name is on the first. */
const fieldsOf = (
  name: string,
  texts: readonly (readonly [text: string, style?: Style | undefined])[],
): Field[] => {
  const styles = new Map(texts.map(([text, style]) => [text, style]));
  return limit(
    texts.map(([text]) => text),
    MAX_LINES,
  ).map((text, at) => [at === 0 ? name : '', text, styles.get(text)]);
};

const HOP_STYLES: Readonly<Record<string, Style>> = {
  ok: 'good',
  degraded: 'warning',
  error: 'bad',
  unreachable: 'bad',
  'not-configured': 'dim',
};

const APPS: readonly Column<HopStatus>[] = [
  { head: 'app', cell: ({ name }) => name },
  { head: 'state', cell: ({ state }) => state, style: ({ state }) => HOP_STYLES[state] },
  { head: 'version', cell: ({ version }) => version, rank: 1 },
  { head: 'what', cell: describeHop },
];

function describeHop({ detail, checks, faults, furtherFaults }: HopStatus): string {
  const down = checks.filter(({ isUp }) => !isUp).map(({ name, message }) => `${name}: ${message ?? 'down'}`);
  const reasons = [...new Set(faults.map(({ reason }) => reason))];
  const more = furtherFaults === 0 ? [] : [countOf(furtherFaults, 'further fault')];
  return [detail, ...down, ...reasons, ...more].filter(Boolean).join('; ');
}

const SEVERITY = ['unreachable', 'error', 'degraded', 'ok', 'not-configured'];

/** All apps, or those that need a person first. */
function renderApps(hops: readonly HopStatus[], width: number | undefined): StyledText {
  const shown =
    hops.length <= MAX_APPS
      ? hops
      : hops.toSorted((one, other) => SEVERITY.indexOf(one.state) - SEVERITY.indexOf(other.state));
  const table = renderFittedTable(APPS, shown.slice(0, MAX_APPS), width);
  const left = hops.length - MAX_APPS;
  return left <= 0 ? table : lines([table, StyledText.of(`and ${left} more: --json has all`, 'dim')]);
}

function describeQueue(queue: QueueStatus): readonly Field[] {
  const { waiting, active, delayed, oldestWaitingSeconds, deadLetters, unverifiedDeadLetters } = queue;
  const oldest = waiting === 0 ? '' : `, the oldest for ${showAge(oldestWaitingSeconds)}`;
  const letters =
    unverifiedDeadLetters === 0 ? String(deadLetters) : `${deadLetters}, unverified ${unverifiedDeadLetters}`;
  return [
    [
      'queue',
      `waiting ${waiting}${oldest}; active ${active}; delayed ${delayed}`,
      oldestWaitingSeconds > QUEUE_LIMIT_SECONDS ? 'warning' : undefined,
    ],
    ['dead letters', letters, deadLetters + unverifiedDeadLetters > 0 ? 'bad' : undefined],
  ];
}

function describePolling(polling: readonly PollingStatus[], now: number): readonly Field[] {
  return fieldsOf(
    'polling',
    polling.map(({ participant, leaseHolder, interfaces }) => {
      if (leaseHolder === undefined) return [`${participant}: no poller polls it`, 'bad'] as const;
      const parts = interfaces.map((each) => describeInterface(each, now));
      const fails = interfaces.some(({ failingSince }) => failingSince !== undefined);
      return [
        `${participant} by ${leaseHolder}: ${parts.join('; ') || 'no details'}`,
        fails ? 'warning' : undefined,
      ] as const;
    }),
  );
}

function describeInterface(
  { interface: name, lastSuccessAt, failingSince, budgets }: InterfaceStatus,
  now: number,
): string {
  const age =
    lastSuccessAt === undefined ? 'not yet' : `${showAge((now - Date.parse(lastSuccessAt)) / 1_000)} ago`;
  const failing = failingSince === undefined ? '' : `, fails since ${showTime(failingSince)}`;
  const [budget] = budgets.toSorted((one, other) => (one.left ?? Infinity) - (other.left ?? Infinity));
  const left = budget?.left === undefined ? '' : `, budget ${budget.left} of ${budget.requests}`;
  return `${name} ${age}${failing}${left}`;
}

function describeArchive(archive: ArchiveStatus): readonly Field[] {
  const { replicas, heartbeats, watermarks, openProblems, sinks, quarantine, unreadEvents } = archive;
  const { critical, warning, info, unacknowledgedCritical } = openProblems;
  const worstHeartbeats = heartbeats.map(
    ({ participant, channel, ageSeconds }) => `${participant} ${showAge(ageSeconds)} ago on ${channel}`,
  );
  const readUntil = watermarks
    .toSorted((one, other) => other.ageSeconds - one.ageSeconds)
    .map(({ channel, ageSeconds }) => `${showAge(ageSeconds)} ago on ${channel}`);
  const reader = replicas.find(({ isReader }) => isReader);
  const others = replicas.length - (reader === undefined ? 0 : 1);
  return [
    [
      'reader',
      reader === undefined
        ? 'no subscriber reads the channels'
        : `${reader.name}${others === 0 ? '' : `, and ${countOf(others, 'replica')} in reserve`}`,
      reader === undefined ? 'bad' : undefined,
    ],
    ...fieldsOf(
      'heartbeats',
      worstHeartbeats.map((text) => [text]),
    ),
    ...fieldsOf(
      'read until',
      readUntil.map((text) => [text]),
    ),
    [
      'problems',
      `critical ${critical} (not acknowledged ${unacknowledgedCritical}); warning ${warning}; info ${info}`,
      unacknowledgedCritical > 0 ? 'bad' : critical + warning > 0 ? 'warning' : 'good',
    ],
    ...describeSinks(sinks),
    [
      'quarantine',
      `${quarantine.messages}, of trusted senders ${quarantine.trusted}`,
      quarantine.trusted > 0 ? 'warning' : undefined,
    ],
    ['not readable', unreadEvents === 0 ? undefined : countOf(unreadEvents, 'archived event'), 'warning'],
  ];
}

function describeSinks(sinks: ArchiveStatus['sinks']): readonly Field[] {
  if (sinks.length === 0) return [['sinks', 'nothing waits', 'good']];
  return fieldsOf(
    'sinks',
    sinks.map(({ sink, failingSince, lastOutcome, disabledAt, disabledBy, pending, parked }) => {
      const disabled = disabledAt === undefined ? [] : [`disabled by ${disabledBy ?? 'unknown'}`];
      const failing =
        failingSince === undefined
          ? []
          : [`fails since ${showTime(failingSince)} (${lastOutcome ?? 'unknown'})`];
      const parts = [...disabled, ...failing, `pending ${pending}`, `refused ${parked}`];
      return [
        `${sink}: ${parts.join(', ')}`,
        failing.length > 0 ? 'bad' : disabled.length + parked > 0 ? 'warning' : undefined,
      ] as const;
    }),
  );
}

/** Those that end soon, or the first one that does. */
function describeCertificates(hops: readonly HopStatus[]): readonly Field[] {
  const all = hops
    .flatMap(({ name, certificates }) => certificates.map((each) => ({ app: name, ...each })))
    .toSorted((one, other) => one.daysLeft - other.daysLeft);
  const soon = all.filter(({ daysLeft }) => daysLeft < CERTIFICATE_LIMIT_DAYS);
  return fieldsOf(
    'certificates',
    (soon.length > 0 ? soon : all.slice(0, 1)).map((each) => [
      describeCertificate(each),
      each.daysLeft < CERTIFICATE_LIMIT_DAYS ? 'warning' : undefined,
    ]),
  );
}

function describeCertificate({
  app,
  name,
  participant,
  daysLeft,
}: CertificateStatus & { readonly app: string }): string {
  const whose = participant === undefined ? '' : ` of ${participant}`;
  const when = daysLeft < 0 ? 'expired' : `${countOf(daysLeft, 'day')} left`;
  return `${name}${whose} (${app}): ${when}`;
}
