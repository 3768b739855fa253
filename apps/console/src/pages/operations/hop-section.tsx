import { Link } from '@tanstack/react-router';
import type { HopStatus, QueueStatus } from '../../api/operations.js';
import { countOf } from '../../format/count.js';
import { formatDuration } from '../../format/market-time.js';
import { Badge } from '../../ui/badge.js';
import { DataTable, type Column } from '../../ui/data-table.js';
import { Section } from '../../ui/page.js';
import { Absent, MarketTime } from '../../ui/values.js';
import { groupHops, HOP_TONES, listFaults, listVersions, type ReportedFault } from './group-hops.js';

/** What each app does for an event, in the order in which it passes them. */
const TASKS: Readonly<Record<HopStatus['app'], string>> = {
  poller: 'reads the operator',
  'bus-publisher': 'signs and publishes events',
  gateway: 'connects to the bus',
  subscriber: 'verifies, archives and alerts',
};

/** From this time on something waits too long. */
const QUEUE_LIMIT_SECONDS = 60;

interface HopSectionProps {
  readonly hops: readonly HopStatus[];
  readonly queue: QueueStatus | undefined;
}

/** The apps and the queue between them, and what they report. */
export function HopSection({ hops, queue }: HopSectionProps) {
  const faults = listFaults(hops);
  const further = hops.reduce((sum, { furtherFaults }) => sum + furtherFaults, 0);
  return (
    <>
      <Section title="Apps" aside={<Versions hops={hops} />}>
        <ol className="operations-hops">
          {groupHops(hops).map(({ app, processes }) => (
            <li key={app} className="operations-hop">
              <h3>{app}</h3>
              <p className="hint">{TASKS[app]}</p>
              {processes.map((hop) => (
                <Process key={hop.name} hop={hop} isOnly={processes.length === 1} />
              ))}
              {app === 'bus-publisher' && <Queue queue={queue} />}
            </li>
          ))}
        </ol>
      </Section>
      {faults.length > 0 && (
        <Section title={`Faults that the apps report: ${faults.length + further}`}>
          <DataTable
            caption="Faults, the oldest first"
            columns={FAULTS}
            rows={faults}
            rowKey={(fault) => JSON.stringify(fault)}
            empty=""
          />
          {further > 0 && <p className="hint">{countOf(further, 'further fault')} left out.</p>}
        </Section>
      )}
    </>
  );
}

function Versions({ hops }: { readonly hops: readonly HopStatus[] }) {
  const versions = [...listVersions(hops)];
  const [only] = versions;
  if (only === undefined) return null;
  if (versions.length === 1) return <span className="hint">All run version {only[0]}</span>;
  return (
    <span>
      <Badge tone="warning">versions differ</Badge>{' '}
      <span className="hint">
        {versions.map(([version, names]) => `${version}: ${names.join(', ')}`).join('; ')}
      </span>
    </span>
  );
}

function Process({ hop, isOnly }: { readonly hop: HopStatus; readonly isOnly: boolean }) {
  const { name, state, detail, checks, faults, furtherFaults } = hop;
  const down = checks.filter(({ isUp }) => !isUp);
  const faultCount = faults.length + furtherFaults;
  return (
    <div className="operations-process">
      <p>
        <Badge tone={HOP_TONES[state]}>{state}</Badge> {!isOnly && name}
      </p>
      {detail !== undefined && <p>{detail}</p>}
      {down.map((check) => (
        <p key={check.name} className="operations-down">
          {check.name}: {check.message ?? 'down'}
        </p>
      ))}
      {faultCount > 0 && <p className="operations-down">{countOf(faultCount, 'fault')}</p>}
      {checks.length > 0 && (
        <details>
          <summary>
            {checks.length - down.length} of {countOf(checks.length, 'check passes', 'checks pass')}
          </summary>
          <ul className="operations-checks">
            {checks.map((check) => (
              <li key={check.name}>
                <Badge tone={check.isUp ? 'good' : 'critical'}>{check.isUp ? 'up' : 'down'}</Badge>{' '}
                {check.name}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

function Queue({ queue }: { readonly queue: QueueStatus | undefined }) {
  if (queue === undefined) return <p className="hint">No bus-publisher shows the queue.</p>;
  const { waiting, active, delayed, oldestWaitingSeconds, deadLetters, unverifiedDeadLetters } = queue;
  const letters = deadLetters + unverifiedDeadLetters;
  return (
    <dl className="operations-queue">
      <dt>Waiting</dt>
      <dd>{waiting.toLocaleString('en-AU')}</dd>
      {waiting > 0 && (
        <>
          <dt>Oldest waits for</dt>
          <dd>
            {formatDuration(oldestWaitingSeconds * 1_000)}{' '}
            {oldestWaitingSeconds > QUEUE_LIMIT_SECONDS && <Badge tone="warning">too long</Badge>}
          </dd>
        </>
      )}
      <dt>Being published</dt>
      <dd>{active.toLocaleString('en-AU')}</dd>
      <dt>Tried again later</dt>
      <dd>{delayed.toLocaleString('en-AU')}</dd>
      <dt>Dead letters</dt>
      <dd>
        {letters === 0 ? (
          '0'
        ) : (
          <>
            <Link to="/operations/dead-letters">{letters.toLocaleString('en-AU')}</Link>{' '}
            <Badge tone="critical">
              {unverifiedDeadLetters === 0 ? 'act' : `${unverifiedDeadLetters} unverified`}
            </Badge>
          </>
        )}
      </dd>
    </dl>
  );
}

const FAULTS: readonly Column<ReportedFault>[] = [
  { id: 'since', header: 'Since', cell: ({ since }) => <MarketTime at={since} /> },
  { id: 'process', header: 'App', cell: ({ process }) => process },
  { id: 'reason', header: 'Reason', cell: ({ reason }) => <code>{reason}</code> },
  {
    id: 'about',
    header: 'About',
    cell: ({ participant, interface: name, document }) => {
      const about = [participant === '*' ? undefined : participant, name, document].filter(Boolean);
      return about.length === 0 ? <Absent /> : about.join(', ');
    },
  },
  { id: 'detail', header: 'What is wrong', cell: ({ detail }) => detail },
];
