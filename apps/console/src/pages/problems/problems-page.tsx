import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { ProblemRow } from '../../api/operations.js';
import { useListing } from '../../api/queries.js';
import { useMayAct } from '../../session/caller.js';
import { ActionResult, type SentRequest } from '../../ui/action-result.js';
import { DataTable } from '../../ui/data-table.js';
import { Content, Page, Section } from '../../ui/page.js';
import { SubNavigation } from '../../ui/sub-navigation.js';
import { useFilters } from '../../ui/use-filters.js';
import { AcknowledgeForm } from './acknowledge-form.js';
import { problemColumns } from './problem-columns.js';
import { ProblemCounts } from './problem-counts.js';
import { ProblemFilters } from './problem-filters.js';
import { PROBLEM_PARTS } from './problem-parts.js';
import { readSelection } from './problem-query.js';
import './problems.css';

/** Rows of a page of the API. */
const PAGE_SIZE = 100;

/** What is wrong: the open and worst first. */
export function ProblemsPage() {
  const [filters] = useFilters();
  const { query, isFiltered } = readSelection(filters);
  const problems = useListing('/v1/problems', { query: { ...query, limit: PAGE_SIZE } });
  const { rows, dataUpdatedAt, hasNextPage, fetchNextPage, isFetchingNextPage } = problems;
  const mayAct = useMayAct();
  const [acknowledging, setAcknowledging] = useState<ProblemRow>();
  const [sent, setSent] = useState<SentRequest>();
  const hasAction = mayAct && rows.some(({ state }) => state === 'open');
  const columns = useMemo(() => problemColumns(hasAction ? setAcknowledging : undefined), [hasAction]);
  return (
    <Page
      title="Problems"
      intro={<SubNavigation label="Problems and silences" parts={PROBLEM_PARTS} />}
      readAt={dataUpdatedAt}
    >
      <ProblemFilters />
      <ActionResult sent={sent ? [sent] : []} onDismiss={() => setSent(undefined)} />
      <Section
        title={isFiltered ? 'Matching problems' : 'Present problems'}
        aside={
          mayAct ? (
            <Link to="/silences">Silences</Link>
          ) : (
            <span className="hint">Only operators acknowledge.</span>
          )
        }
      >
        <Content of={problems} what="the problems">
          {() => (
            <>
              <ProblemCounts rows={rows} hasMore={hasNextPage} />
              <DataTable
                caption="Problems"
                columns={columns}
                rows={rows}
                rowKey={({ id }) => id}
                empty={<NoProblems isFiltered={isFiltered} />}
                onMore={hasNextPage ? () => void fetchNextPage() : undefined}
                isCut={problems.isCut}
                isReading={isFetchingNextPage}
              />
            </>
          )}
        </Content>
      </Section>
      {acknowledging && (
        <AcknowledgeForm
          problem={acknowledging}
          onSent={(request) => {
            setSent(request);
            setAcknowledging(undefined);
          }}
          onClose={() => setAcknowledging(undefined)}
        />
      )}
    </Page>
  );
}

function NoProblems({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) return 'No problem matches the filters.';
  return (
    <>
      <span className="problems-none">Nothing is wrong.</span> No problem is open.{' '}
      <Link to="/problems" search={{ state: 'resolved,closed' }}>
        Ended problems
      </Link>
    </>
  );
}
