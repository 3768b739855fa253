import type { ReactNode } from 'react';
import { Link, useParams } from '@tanstack/react-router';
import { useRead } from '../../api/queries.js';
import type { StatementDetail } from '../../api/operations.js';
import { describeRunState } from '../../format/run-state.js';
import { nameRun } from '../../format/run-name.js';
import { Badge } from '../../ui/badge.js';
import { Empty, Note } from '../../ui/notes.js';
import { Content, Page, Section } from '../../ui/page.js';
import { Amount, Day, MarketTime, useToday } from '../../ui/values.js';
import { findNotInvoiced } from './invoice-age.js';
import { StatementFigures, StatementSums } from './statement-figures.js';
import { Rows } from './statement-rows.js';
import { StatementInvoices } from './statement-invoices.js';
import { StatementVariables } from './statement-variables.js';
import { StatementVersions } from './statement-versions.js';
import './statement.css';

/** A settlement run: its amounts, versions, invoices and variables. */
export function StatementPage() {
  const { id = '' } = useParams({ strict: false }) as { readonly id?: string };
  const statement = useRead('/v1/statements/{id}', { parts: { id } });
  const today = useToday();
  return (
    <Page
      title={statement.data ? nameRun(statement.data) : 'Statement'}
      readAt={statement.dataUpdatedAt}
      intro={
        statement.data ? (
          <Intro statement={statement.data} today={today} />
        ) : (
          <p className="statement-links">
            <Link to="/calendar">Settlement calendar</Link>
          </p>
        )
      }
    >
      <Content of={statement} what="the statement">
        {(data) => (
          <>
            <Warnings statement={data} />
            <StatementFigures statement={data} today={today} />
            <div className="statement-overview">
              <Section title="Sums of the statement">
                <StatementSums statement={data} />
              </Section>
              <Section title="Dates">
                <Dates statement={data} />
              </Section>
            </div>
            <StatementVersions statement={data} />
            <StatementInvoices statement={data} today={today} />
            <StatementVariables statement={data} />
          </>
        )}
      </Content>
    </Page>
  );
}

interface PartProps {
  readonly statement: StatementDetail;
}

function Intro({ statement, today }: PartProps & { readonly today: string }) {
  const { participant, market, period, periodFrom, periodTo, designation, id, payment } = statement;
  const { label, tone } = describeRunState(statement, today);
  return (
    <div className="statement-intro">
      <p>
        <Badge tone={tone}>{label}</Badge> {participant}, trading days <Day value={periodFrom} />
        {periodTo !== undefined && (
          <>
            {' '}
            to <Day value={periodTo} />
          </>
        )}
        {period !== undefined && <span className="hint"> {period}</span>}
      </p>
      <nav aria-label="About this run" className="statement-links">
        <Link to="/calendar" search={{ market }}>
          Settlement calendar
        </Link>
        {payment !== undefined && (
          <Link to="/statements/$id/differences" params={{ id }}>
            Differences
          </Link>
        )}
        <Link to="/events" search={{ subject: `${participant}/${market}/${periodFrom}/${designation}` }}>
          Events of this run
        </Link>
      </nav>
    </div>
  );
}

function Warnings({ statement }: PartProps) {
  const { statementOverdueSince, invoiceOverdueSince, statementDueDate, invoiceDueDate } = statement;
  const { discrepancies, status, participant, versions, invoices } = statement;
  const notInvoiced = findNotInvoiced(versions, invoices);
  return (
    <>
      {statementOverdueSince !== undefined && (
        <Note kind="critical">
          The market operator has not published the statement
          {statementDueDate !== undefined && (
            <>
              . It was due on <Day value={statementDueDate} />
            </>
          )}
          , and has been overdue since <MarketTime at={statementOverdueSince} />. Ask the market operator for
          it.
        </Note>
      )}
      {invoiceOverdueSince !== undefined && (
        <Note kind="critical">
          The market operator has not issued the invoice
          {invoiceDueDate !== undefined && (
            <>
              . It was due on <Day value={invoiceDueDate} />
            </>
          )}
          , and has been overdue since <MarketTime at={invoiceOverdueSince} />.
        </Note>
      )}
      {notInvoiced && (
        <Note kind="warning">
          The invoice of <Day value={notInvoiced.invoiceDate} /> is older than this revision.{' '}
          <Amount value={notInvoiced.net} /> AUD of its net, without GST, are not invoiced.
        </Note>
      )}
      {discrepancies > 0 && (
        <Note kind="warning">
          Amounts of the invoice do not agree with the statement:{' '}
          <Link to="/problems" search={{ kind: 'invoice-discrepancy', participant }}>
            see the problems
          </Link>
          .
        </Note>
      )}
      {status === 'removed' && (
        <Note kind="info">The market operator has removed this run from its timeline. It is kept here.</Note>
      )}
    </>
  );
}

function Dates({ statement }: PartProps) {
  const day = (value: string | undefined) => value !== undefined && <Day value={value} />;
  const time = (value: string | undefined) => value !== undefined && <MarketTime at={value} />;
  const rows: readonly (readonly [string, ReactNode])[] = [
    ['Statement due', day(statement.statementDueDate)],
    ['Statement published', time(statement.publishedAt)],
    ['Newest revision', time(statement.revisedAt)],
    ['Invoice due', day(statement.invoiceDueDate)],
    ['Invoice dated', day(statement.invoiceDate)],
    ['Payment due', day(statement.paymentDueDate)],
    ['Last day to dispute', day(statement.disagreeUntil)],
  ];
  const known = rows.filter(([, value]) => value !== false);
  return known.length === 0 ? <Empty>No date is known yet.</Empty> : <Rows rows={known} />;
}
