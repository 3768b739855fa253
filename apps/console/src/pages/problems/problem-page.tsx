import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { ProblemDetail } from '../../api/operations.js';
import { useRead } from '../../api/queries.js';
import { ActionResult, type SentRequest } from '../../ui/action-result.js';
import { Content, Page, Section } from '../../ui/page.js';
import { SubNavigation } from '../../ui/sub-navigation.js';
import { FiguresTable } from './figures-table.js';
import { ProblemActions } from './problem-actions.js';
import { ProblemHero } from './problem-hero.js';
import { PROBLEM_PARTS } from './problem-parts.js';
import { ProblemTimeline } from './problem-timeline.js';
import { showParticipant, titleOf } from './problem-titles.js';
import { RelatedPages } from './related-pages.js';
import { WhatToDo } from './what-to-do.js';
import './problem.css';
import './problems.css';

/** One problem: how bad it is, what to do, who knows of it, and what happened. */
export function ProblemPage() {
  const { id = '' } = useParams({ strict: false }) as { readonly id?: string };
  const problem = useRead('/v1/problems/{id}', { parts: { id } });
  const { data, dataUpdatedAt } = problem;
  const [sent, setSent] = useState<readonly SentRequest[]>([]);
  return (
    <Page
      title={data === undefined ? 'Problem' : `${showParticipant(data.participant)}: ${titleOf(data)}`}
      intro={<SubNavigation label="Problems and silences" parts={PROBLEM_PARTS} />}
      readAt={dataUpdatedAt}
    >
      <Content of={problem} what="the problem">
        {(detail) => (
          <>
            <ProblemHero problem={detail}>
              <ProblemActions problem={detail} onSent={(request) => setSent([request])} />
            </ProblemHero>
            <ActionResult sent={sent} onDismiss={() => setSent([])} />
            <Parts problem={detail} readAt={dataUpdatedAt} />
          </>
        )}
      </Content>
    </Page>
  );
}

interface PartsProps {
  readonly problem: ProblemDetail;
  readonly readAt: number;
}

function Parts({ problem, readAt }: PartsProps) {
  return (
    <>
      <div className="grid">
        <WhatToDo problem={problem} />
        <FiguresTable problem={problem} />
      </div>
      <Section
        title="What happened"
        aside={
          <Link to="/deliveries" search={{ problem: problem.id }}>
            Its deliveries
          </Link>
        }
      >
        <ProblemTimeline problem={problem} readAt={readAt} />
      </Section>
      <RelatedPages problem={problem} />
    </>
  );
}
