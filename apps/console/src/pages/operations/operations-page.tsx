import { Link } from '@tanstack/react-router';
import { oldestOf } from '../../api/oldest-of.js';
import { useListing, useRead } from '../../api/queries.js';
import type { Status } from '../../api/operations.js';
import { Figure } from '../../ui/figure.js';
import { Note } from '../../ui/notes.js';
import { Content } from '../../ui/page.js';
import { MarketTime } from '../../ui/values.js';
import { ArchiveSections } from './archive-sections.js';
import { BackfillSection } from './backfill-section.js';
import { CertificateSection } from './certificate-section.js';
import { splitFinding } from './findings.js';
import { STATES } from './group-hops.js';
import { HopSection } from './hop-section.js';
import { ForAllParticipants, OperationsFrame } from './operations-frame.js';
import { PollingSection } from './polling-section.js';

/** Whether the bridge works, and what to do when it does not. */
export function OperationsPage() {
  return (
    <ForAllParticipants title="Operations">
      <Operations />
    </ForAllParticipants>
  );
}

function Operations() {
  const status = useRead('/v1/status');
  // The section below shows the same query.
  const backfills = useListing('/v1/backfills');
  return (
    <OperationsFrame title="Operations" readAt={oldestOf(status, backfills)}>
      <Content of={status} what="the state of the bridge">
        {(data) => (
          <>
            <Summary status={data} />
            <HopSection hops={data.hops} queue={data.queue} />
            <PollingSection polling={data.polling} />
            {data.databaseDetail !== undefined && (
              <Note kind="critical">The database shows nothing: {data.databaseDetail}</Note>
            )}
            {data.archive ? (
              <ArchiveSections archive={data.archive}>
                <CertificateSection hops={data.hops} />
              </ArchiveSections>
            ) : (
              <CertificateSection hops={data.hops} />
            )}
          </>
        )}
      </Content>
      <BackfillSection />
    </OperationsFrame>
  );
}

/** What is wrong, the worst first, and what to do. */
function Summary({ status: { state, summary, findings } }: { readonly status: Status }) {
  const { tone, text } = STATES[state];
  const [, ...further] = findings;
  return (
    <Figure label={text} tone={tone} value={<Sentence text={summary} />}>
      {further.length > 0 && (
        <ol className="operations-findings" aria-label="Further findings, the worst first">
          {further.map((finding) => (
            <li key={finding}>
              <Sentence text={finding} />
            </li>
          ))}
        </ol>
      )}
    </Figure>
  );
}

function Sentence({ text }: { readonly text: string }) {
  return splitFinding(text).map(({ text: part, to, isTime }, index) => {
    if (isTime) return <MarketTime key={index} at={part} />;
    return to === undefined ? (
      part
    ) : (
      <Link key={index} to={to}>
        {part}
      </Link>
    );
  });
}
