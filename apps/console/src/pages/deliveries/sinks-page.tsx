import { useState } from 'react';
import { useListing } from '../../api/queries.js';
import type { SinkRow } from '../../api/operations.js';
import { useCaller } from '../../session/caller.js';
import { ActionResult, type SentRequest } from '../../ui/action-result.js';
import { Button } from '../../ui/button.js';
import { Empty, Note } from '../../ui/notes.js';
import { Content, Page } from '../../ui/page.js';
import { SubNavigation } from '../../ui/sub-navigation.js';
import { DELIVERY_PARTS } from './delivery-parts.js';
import { SinkCard } from './sink-card.js';
import { SinkForm, type SinkFormName } from './sink-forms.js';
import { sortSinks } from './sink-states.js';
import './deliveries.css';
import './sinks.css';

/** Who gets messages, and whether they accept them. */
export function SinksPage() {
  const { allParticipants } = useCaller();
  const sinks = useListing('/v1/sinks', { enabled: allParticipants });
  const { rows, dataUpdatedAt, hasNextPage, fetchNextPage, isFetchingNextPage } = sinks;
  const [sent, setSent] = useState<readonly SentRequest[]>([]);
  // A sink that has left the list keeps its open form.
  const [open, setOpen] = useState<{ readonly form: SinkFormName; readonly sink: SinkRow }>();
  return (
    <Page
      title="Sinks"
      intro={<SubNavigation label="Deliveries and sinks" parts={DELIVERY_PARTS} />}
      {...(allParticipants && { readAt: dataUpdatedAt })}
    >
      {!allParticipants && (
        <Note kind="info">
          The sinks serve all participants, so this page needs access to all of them. Deliveries has those of
          your participants.
        </Note>
      )}
      <ActionResult sent={sent} onDismiss={() => setSent([])} />
      {allParticipants && (
        <Content of={sinks} what="the sinks">
          {() =>
            rows.length === 0 ? (
              <Empty>No sink is configured, so nobody is notified. CONFIG_FILE names the sinks.</Empty>
            ) : (
              <div className="sinks">
                {sortSinks(rows).map((sink) => (
                  <SinkCard key={sink.name} sink={sink} onOpen={(form) => setOpen({ form, sink })} />
                ))}
              </div>
            )
          }
        </Content>
      )}
      {hasNextPage && (
        <Button onClick={() => void fetchNextPage()} disabled={isFetchingNextPage}>
          Show more
        </Button>
      )}
      {open && <SinkForm {...open} onSent={setSent} onClose={() => setOpen(undefined)} />}
    </Page>
  );
}
