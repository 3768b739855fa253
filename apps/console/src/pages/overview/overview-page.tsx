import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { oldestOf } from '../../api/oldest-of.js';
import type { ProblemRow } from '../../api/operations.js';
import { useRead } from '../../api/queries.js';
import { useWholeListing } from '../../api/whole-listing.js';
import { addDays } from '../../format/market-time.js';
import { Content, Page, Section } from '../../ui/page.js';
import { useToday } from '../../ui/values.js';
import { AlertBanner } from './alert-banner.js';
import { ComingPayments } from './coming-payments.js';
import { describeCounts } from '../problems/count-problems.js';
import { Margins, RangeChoice } from './margins/margins.js';
import { newestPublications } from './newest-publications.js';
import { OpenItemList } from './open-item-list.js';
import './overview.css';
import { ProblemList } from './problems/problem-list.js';
import { useFilters } from '../../ui/use-filters.js';
import { PublicationList } from './publication-list.js';
import { findRange } from './margins/ranges.js';
import { TrustLine } from './trust-line.js';

const COMING_DAYS = 14;
const PAST_DAYS = 7;
const NO_PROBLEMS: readonly ProblemRow[] = [];

/** Where the organisation stands: margins, problems, what is missing, money, and what is new. */
export function OverviewPage() {
  const [filters] = useFilters();
  const range = findRange(filters['range']);
  const today = useToday();
  const positions = useWholeListing('/v1/positions', { query: { points: 2 } });
  const problems = useRead('/v1/problems', { query: { limit: 100 } });
  const missing = useWholeListing('/v1/open-items');
  const payments = useRead('/v1/payments', {
    query: { dueSince: today, dueUntil: addDays(today, COMING_DAYS) },
  });
  const published = useRead('/v1/settlement-calendar', {
    query: { by: 'published', order: 'published', since: addDays(today, -PAST_DAYS), limit: 100 },
  });
  // The API has the oldest first.
  const invoiced = useWholeListing('/v1/settlement-calendar', {
    query: { by: 'invoice', since: addDays(today, -PAST_DAYS), until: addDays(today, 1) },
  });
  return (
    <Page
      title="Overview"
      intro={<TrustLine />}
      readAt={oldestOf(positions, problems, missing, payments, published, invoiced)}
    >
      <AlertBanner />
      <MarginSection aside={<RangeChoice range={range} />}>
        <Content of={positions} what="the margins">
          {({ rows }) => (
            <Margins positions={rows} problems={problems.data?.items ?? NO_PROBLEMS} range={range} />
          )}
        </Content>
      </MarginSection>
      <div className="overview-columns">
        <div className="overview-column">
          <Section
            title="Present problems"
            aside={
              <Link to="/problems">
                All
                {problems.data &&
                  ` (${describeCounts(problems.data.items, problems.data.next !== undefined)})`}
              </Link>
            }
          >
            <Content of={problems} what="the problems">
              {({ items }) => <ProblemList problems={items} />}
            </Content>
          </Section>
          <Section title="Still missing" aside={<Link to="/calendar">Settlement calendar</Link>}>
            <Content of={missing} what="what is missing">
              {({ rows, isCut }) => <OpenItemList items={rows} isCut={isCut} />}
            </Content>
          </Section>
        </div>
        <div className="overview-column">
          <Section title="Due in the next 14 days" aside={<Link to="/money">Money</Link>}>
            <Content of={payments} what="the payments">
              {(page) => <ComingPayments payments={page} />}
            </Content>
          </Section>
          <Section
            title="Statements and invoices of the last 7 days"
            aside={<Link to="/calendar">Settlement calendar</Link>}
          >
            <Content of={published} what="the statements">
              {(statements) => (
                <Content of={invoiced} what="the invoices">
                  {(invoices) => (
                    <PublicationList
                      publications={newestPublications(statements.items, invoices.rows)}
                      isCut={statements.next !== undefined || invoices.isCut}
                    />
                  )}
                </Content>
              )}
            </Content>
          </Section>
        </div>
      </div>
    </Page>
  );
}

function MarginSection({ aside, children }: { readonly aside: ReactNode; readonly children: ReactNode }) {
  return (
    <section className="overview-margins" aria-label="Trading margin">
      <div className="section-header">
        <h2>Trading margin</h2>
        {aside}
      </div>
      {children}
    </section>
  );
}
