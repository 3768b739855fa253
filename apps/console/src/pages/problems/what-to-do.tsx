import { Link } from '@tanstack/react-router';
import type { ProblemDetail } from '../../api/operations.js';
import { Section } from '../../ui/page.js';
import { adviceFor } from './advice.js';
import { repairPageOf } from './fault-advice.js';

/** What a problem means, and what to do about it, in plain words. */
export function WhatToDo({ problem }: { readonly problem: ProblemDetail }) {
  const { meaning, steps, end } = adviceFor(problem);
  const page = repairPageOf(problem);
  if (problem.endedAt !== undefined)
    return (
      <Section title="What it means">
        <p>{meaning}</p>
        <p>Nothing is left to do: it has ended.</p>
      </Section>
    );
  return (
    <Section title="What to do">
      <p>{meaning}</p>
      <ol className="problem-steps">
        {steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      {page && (
        <p>
          Where to look:{' '}
          <Link to={page.to} search={page.search ?? {}}>
            {page.label}
          </Link>
        </p>
      )}
      <p className="hint">{end}</p>
    </Section>
  );
}
