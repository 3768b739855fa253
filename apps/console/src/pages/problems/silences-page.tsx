import { useState } from 'react';
import type { SilenceRow } from '../../api/operations.js';
import { useListing } from '../../api/queries.js';
import { useCaller, useMayAct } from '../../session/caller.js';
import { ActionResult, type SentRequest } from '../../ui/action-result.js';
import { Button } from '../../ui/button.js';
import { Empty } from '../../ui/notes.js';
import { Content, Page, Section } from '../../ui/page.js';
import { SubNavigation } from '../../ui/sub-navigation.js';
import { PROBLEM_PARTS } from './problem-parts.js';
import { EndSilenceForm } from './silences/end-silence-form.js';
import { SilenceForm } from './silences/silence-form.js';
import { SilenceItem } from './silences/silence-item.js';

const STATES = [
  { state: 'active', title: 'Active', empty: 'No silence is active.' },
  { state: 'scheduled', title: 'Scheduled', empty: 'No silence begins later.' },
  { state: 'ended', title: 'Ended', empty: 'No silence has ended.' },
] as const;

/** What is kept from the sinks, by whom and until when. */
export function SilencesPage() {
  const silences = useListing('/v1/silences', { query: { all: true } });
  const { rows, dataUpdatedAt, hasNextPage, fetchNextPage, isFetchingNextPage } = silences;
  const mayAct = useMayAct();
  const { allParticipants, participants = [] } = useCaller();
  const [sent, setSent] = useState<SentRequest>();
  const [isAdding, setIsAdding] = useState(false);
  const [ending, setEnding] = useState<SilenceRow>();
  return (
    <Page
      title="Silences"
      intro={<SubNavigation label="Problems and silences" parts={PROBLEM_PARTS} />}
      readAt={dataUpdatedAt}
    >
      <p>
        A silence keeps messages about what it covers from every sink, for a time. The events are archived,
        and the problems stay visible here.
      </p>
      {mayAct ? (
        <div className="buttons">
          <Button kind="primary" onClick={() => setIsAdding(true)}>
            New silence
          </Button>
        </div>
      ) : (
        <p className="hint">Only operators add and end silences.</p>
      )}
      <ActionResult sent={sent ? [sent] : []} onDismiss={() => setSent(undefined)} />
      <Content of={silences} what="the silences">
        {() =>
          STATES.map(({ state, title, empty }) => (
            <SilenceSection
              key={state}
              title={title}
              empty={empty}
              silences={rows.filter((silence) => silence.state === state)}
              onEnd={mayAct ? setEnding : undefined}
            />
          ))
        }
      </Content>
      {hasNextPage && (
        <Button onClick={() => void fetchNextPage()} disabled={isFetchingNextPage}>
          Show more
        </Button>
      )}
      {isAdding && (
        <SilenceForm
          initial={allParticipants ? {} : { participants }}
          onSent={(request) => {
            setSent(request);
            setIsAdding(false);
          }}
          onClose={() => setIsAdding(false)}
        />
      )}
      {ending && (
        <EndSilenceForm
          silence={ending}
          onSent={(request) => {
            setSent(request);
            setEnding(undefined);
          }}
          onClose={() => setEnding(undefined)}
        />
      )}
    </Page>
  );
}

interface SilenceSectionProps {
  readonly title: string;
  readonly empty: string;
  readonly silences: readonly SilenceRow[];
  readonly onEnd: ((silence: SilenceRow) => void) | undefined;
}

function SilenceSection({ title, empty, silences, onEnd }: SilenceSectionProps) {
  return (
    <Section title={silences.length === 0 ? title : `${title} (${silences.length})`}>
      {silences.length === 0 ? (
        <Empty>{empty}</Empty>
      ) : (
        <ul className="silences-list">
          {silences.map((silence) => (
            <SilenceItem key={silence.id} silence={silence} onEnd={onEnd && (() => onEnd(silence))} />
          ))}
        </ul>
      )}
    </Section>
  );
}
