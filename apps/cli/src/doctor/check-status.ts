import type { HopStatus, PollingStatus, Status } from '../api/operations.js';
import { resultsOf, type CheckResult } from './check-result.js';

/** Before that, a certificate is to be renewed. */
const CERTIFICATE_WARNING_DAYS = 30;
const QUEUE_WARNING_SECONDS = 60;
/** A poller sends a heartbeat each minute by default. */
const HEARTBEAT_WARNING_SECONDS = 600;

const app = resultsOf('Apps');
const operator = resultsOf('Operator');
const queued = resultsOf('Queue');
const alerts = resultsOf('Alerts');

/** What the status of the archive API says about each part of the bridge. */
export function checkStatus(status: Status): readonly CheckResult[] {
  return [
    ...status.hops.flatMap(checkHop),
    ...checkVersions(status.hops),
    ...checkDatabase(status),
    ...checkPolling(status.polling),
    ...checkQueue(status),
    ...checkArchive(status),
  ];
}

function checkHop({ name, state, detail, version, checks, faults, certificates }: HopStatus): CheckResult[] {
  if (state === 'not-configured')
    return [app(name, 'not-checked', `${endSentence(detail)}Set it at the API.`)];
  if (state === 'unreachable')
    return [app(name, 'wrong', `${endSentence(detail)}Start it, or correct its address, token and network.`)];
  const down = checks.filter(({ isUp }) => !isUp);
  const results = [
    ...down.map((each) => app(name, 'wrong', `${each.name} is down: ${each.message ?? 'look at its log'}`)),
    ...faults.map(({ reason, participant, detail: text }) =>
      app(
        name,
        'warning',
        `${reason}${participant === '*' ? '' : ` of ${participant}`}: ${endSentence(text)}docs/alerts.md says what to do.`,
      ),
    ),
    ...certificates.map(({ name: certificate, participant, daysLeft }) =>
      app(
        `${name}, certificate ${certificate}${participant === undefined ? '' : ` of ${participant}`}`,
        daysLeft < 0 ? 'wrong' : daysLeft < CERTIFICATE_WARNING_DAYS ? 'warning' : 'ok',
        daysLeft < 0
          ? 'It has expired: renew its files.'
          : daysLeft < CERTIFICATE_WARNING_DAYS
            ? `It expires in ${daysLeft} days: renew its files.`
            : `${daysLeft} days left`,
      ),
    ),
  ];
  const isFine = down.length === 0 && faults.length === 0;
  return isFine ? [app(name, 'ok', `ready, ${version ?? 'of an earlier release'}`), ...results] : results;
}

/** With a full stop, and the space before the next sentence. */
const endSentence = (text = ''): string => (text === '' ? '' : `${text.replace(/\.$/, '')}. `);

function checkVersions(hops: readonly HopStatus[]): CheckResult[] {
  const versions = [...new Set(hops.flatMap(({ version }) => version ?? []))];
  return versions.length > 1
    ? [app('versions', 'warning', `Apps of ${versions.join(' and ')} run: finish the upgrade.`)]
    : [];
}

function checkDatabase({ archive, databaseDetail }: Status): CheckResult[] {
  if (archive === undefined)
    return [app('database', 'wrong', `${databaseDetail ?? 'It does not respond.'} Check PostgreSQL.`)];
  const isRead = archive.replicas.some(({ isReader }) => isReader);
  return [
    app('database', 'ok', 'responds to the API'),
    isRead
      ? app('reader of the channels', 'ok', 'a subscriber reads them')
      : app(
          'reader of the channels',
          'wrong',
          'No subscriber reads the channels: start one, and read its log.',
        ),
  ];
}

function checkPolling(polling: readonly PollingStatus[]): CheckResult[] {
  if (polling.length === 0)
    return [
      operator('participants', 'not-checked', 'No poller shows what it polls: set POLLER_URLS at the API.'),
    ];
  return polling.flatMap(({ participant, leaseHolder, interfaces }) => {
    if (leaseHolder === undefined)
      return [
        operator(`lease of ${participant}`, 'wrong', 'No poller polls it: start one, and read its log.'),
      ];
    return [
      operator(`lease of ${participant}`, 'ok', leaseHolder),
      ...interfaces.flatMap((each) => checkInterface(participant, each)),
    ];
  });
}

function checkInterface(
  participant: string,
  { interface: name, lastSuccessAt, failingSince, budgets }: PollingStatus['interfaces'][number],
): CheckResult[] {
  const check = `${name} of ${participant}`;
  const hint = 'check address, proxy, certificate, account and scopes, and read the log of the poller.';
  const exhausted = budgets.filter(({ left }) => left === 0);
  return [
    failingSince !== undefined
      ? operator(check, 'wrong', `It fails since ${failingSince}: ${hint}`)
      : lastSuccessAt === undefined
        ? operator(check, 'wrong', `It has not responded yet: ${hint}`)
        : operator(check, 'ok', `last success ${lastSuccessAt}`),
    ...exhausted.map(({ seconds, requests }) =>
      operator(
        `budget of ${check}`,
        'warning',
        `All ${requests} requests in ${seconds} s are used: poll less often, or have the limit of the account raised.`,
      ),
    ),
    ...(budgets.length > 0 && exhausted.length === 0
      ? [operator(`budget of ${check}`, 'ok', budgets.map(describeBudget).join(', '))]
      : []),
  ];
}

const describeBudget = ({ seconds, requests, left }: { seconds: number; requests: number; left?: number }) =>
  left === undefined ? `${requests} requests in ${seconds} s` : `${left} of ${requests} in ${seconds} s left`;

function checkQueue({ queue }: Status): CheckResult[] {
  if (queue === undefined)
    return [queued('queue', 'not-checked', 'No bus-publisher shows it: set PUBLISHER_URLS at the API.')];
  const { waiting, oldestWaitingSeconds, deadLetters, unverifiedDeadLetters } = queue;
  return [
    oldestWaitingSeconds > QUEUE_WARNING_SECONDS
      ? queued(
          'queue',
          'warning',
          `An event waits for ${oldestWaitingSeconds} s: look at the bus-publisher and its gateway.`,
        )
      : queued('queue', 'ok', `${waiting} waiting`),
    deadLetters + unverifiedDeadLetters === 0
      ? queued('dead letters', 'ok', 'none')
      : queued(
          'dead letters',
          deadLetters > 0 ? 'wrong' : 'warning',
          `${deadLetters} events, ${unverifiedDeadLetters} unverified jobs: read "busbridge dead-letters list", correct the reasons, retry.`,
        ),
  ];
}

function checkArchive({ archive }: Status): CheckResult[] {
  if (archive === undefined) return [alerts('sinks', 'not-checked', 'The database does not respond.')];
  const { heartbeats, sinks, quarantine, openProblems, unreadEvents } = archive;
  const late = heartbeats.filter(({ ageSeconds }) => ageSeconds > HEARTBEAT_WARNING_SECONDS);
  return [
    heartbeats.length === 0
      ? alerts('heartbeats', 'warning', 'None has arrived: run "busbridge heartbeat".')
      : late.length === 0
        ? alerts('heartbeats', 'ok', `${heartbeats.length} participants and channels`)
        : alerts(
            'heartbeats',
            'wrong',
            `The newest of ${late.map(({ participant, channel }) => `${participant} on ${channel}`).join(', ')} is older than ${HEARTBEAT_WARNING_SECONDS} s: run "busbridge heartbeat".`,
          ),
    ...sinks.map(({ sink, failingSince, lastOutcome, disabledAt, pending, parked }) => {
      const check = `sink ${sink}`;
      if (disabledAt !== undefined)
        return alerts(
          check,
          'warning',
          `It is disabled since ${disabledAt}: "busbridge sinks enable ${sink}".`,
        );
      if (failingSince !== undefined)
        return alerts(
          check,
          'wrong',
          `It accepts nothing since ${failingSince} (${lastOutcome ?? 'unknown'}): correct it, then "busbridge sinks test ${sink}".`,
        );
      if (parked > 0)
        return alerts(
          check,
          'warning',
          `It has refused ${parked} deliveries: "busbridge deliveries list --state parked --sink ${sink}".`,
        );
      return alerts(
        check,
        'ok',
        `${pending} pending${lastOutcome === undefined ? '' : `, last ${lastOutcome}`}`,
      );
    }),
    quarantine.trusted > 0
      ? alerts(
          'quarantine',
          'warning',
          `${quarantine.trusted} messages of trusted senders: read "busbridge quarantine list".`,
        )
      : alerts('quarantine', 'ok', 'no message of a trusted sender'),
    openProblems.unacknowledgedCritical > 0
      ? alerts(
          'problems',
          'warning',
          `${openProblems.unacknowledgedCritical} critical ones are not acknowledged: "busbridge problems list".`,
        )
      : alerts('problems', 'ok', 'no critical one without an acknowledgement'),
    ...(unreadEvents > 0
      ? [alerts('archive', 'warning', `${unreadEvents} events cannot be read: docs/api.md says what to do.`)]
      : []),
  ];
}
