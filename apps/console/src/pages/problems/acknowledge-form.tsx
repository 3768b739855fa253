import { useAction } from '../../api/actions.js';
import type { ProblemRow } from '../../api/operations.js';
import { ActionForm } from '../../ui/action-form.js';
import type { SentRequest } from '../../ui/action-result.js';
import { nameProblem } from './problem-titles.js';

export interface ProblemFormProps {
  readonly problem: ProblemRow;
  readonly onSent: (sent: SentRequest) => void;
  readonly onClose: () => void;
}

export function AcknowledgeForm({ problem, onSent, onClose }: ProblemFormProps) {
  const action = useAction('/v1/problems/{id}/acknowledge');
  const name = nameProblem(problem);
  return (
    <ActionForm
      title="Acknowledge"
      explanation={`${name}: you say that you know of it and act on it. Reminders and escalations end. It opens again if it becomes more severe.`}
      submit="Acknowledge"
      comment="optional"
      error={action.error}
      isPending={action.isPending}
      onSubmit={(comment) =>
        action.mutate(
          { parts: { id: problem.id }, body: comment === undefined ? {} : { comment } },
          { onSuccess: (request) => onSent({ request, done: () => `Acknowledged: ${name}.` }) },
        )
      }
      onClose={onClose}
    />
  );
}
