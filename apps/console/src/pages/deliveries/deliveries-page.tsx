import { useState } from 'react';
import { useListing } from '../../api/queries.js';
import { useMayAct } from '../../session/caller.js';
import { ActionResult, type SentRequest } from '../../ui/action-result.js';
import { Button } from '../../ui/button.js';
import { DataTable } from '../../ui/data-table.js';
import { Content, Page, Section } from '../../ui/page.js';
import { SubNavigation } from '../../ui/sub-navigation.js';
import { useFilters } from '../../ui/use-filters.js';
import { deliveryColumns } from './delivery-columns.js';
import { DeliveryFilters } from './delivery-filters.js';
import { DELIVERY_PARTS } from './delivery-parts.js';
import { readFilters } from './delivery-query.js';
import { keyOf } from './delivery-selection.js';
import { ProblemScope } from './problem-scope.js';
import { ReplayForm } from './replay-form.js';
import { SelectionBar } from './selection-bar.js';
import { useSelection } from './use-selection.js';
import './deliveries.css';

/** Rows of a page of the API. */
const PAGE_SIZE = 100;

/** What the sinks get: what was added last comes first. */
export function DeliveriesPage() {
  const [filters] = useFilters();
  const { query, isFiltered } = readFilters(filters);
  const deliveries = useListing('/v1/deliveries', { query: { ...query, limit: PAGE_SIZE } });
  const { rows, dataUpdatedAt, hasNextPage, fetchNextPage, isFetchingNextPage } = deliveries;
  const mayAct = useMayAct();
  const { keys, toggle, selected, selectAll, selectNone } = useSelection(rows);
  const [sent, setSent] = useState<readonly SentRequest[]>([]);
  const [isReplaying, setIsReplaying] = useState(false);
  return (
    <Page
      title="Deliveries"
      intro={<SubNavigation label="Deliveries and sinks" parts={DELIVERY_PARTS} />}
      readAt={dataUpdatedAt}
    >
      {query.problem !== undefined && <ProblemScope id={query.problem} />}
      <DeliveryFilters rows={rows} />
      <ActionResult sent={sent} onDismiss={() => setSent([])} />
      <Section
        title={isFiltered ? 'Matching deliveries' : 'Newest deliveries'}
        aside={
          mayAct ? (
            <Button onClick={() => setIsReplaying(true)}>Replay for a sink</Button>
          ) : (
            <span className="hint">Only operators resend, skip and replay.</span>
          )
        }
      >
        <Content of={deliveries} what="the deliveries">
          {() => (
            <>
              {mayAct && (
                <SelectionBar
                  rows={rows}
                  selected={selected}
                  onSelectAll={selectAll}
                  onSelectNone={selectNone}
                  onSent={(requests) => {
                    setSent(requests);
                    selectNone();
                  }}
                />
              )}
              <DataTable
                caption="Deliveries"
                columns={deliveryColumns(mayAct ? { keys, onToggle: toggle } : undefined)}
                rows={rows}
                rowKey={keyOf}
                empty={isFiltered ? 'No delivery matches the filters.' : 'No sink has had a delivery yet.'}
                onMore={hasNextPage ? () => void fetchNextPage() : undefined}
                isCut={deliveries.isCut}
                isReading={isFetchingNextPage}
              />
            </>
          )}
        </Content>
      </Section>
      {isReplaying && <ReplayForm onSent={setSent} onClose={() => setIsReplaying(false)} />}
    </Page>
  );
}
