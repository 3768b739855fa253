import { useAction } from '../../api/actions.js';
import { ActionForm } from '../../ui/action-form.js';
import type { ProblemFormProps } from './acknowledge-form.js';
import { explainClose } from './explain-close.js';
import { titleOf } from './problem-titles.js';

export function CloseForm({ problem, onSent, onClose }: ProblemFormProps) {
  const action = useAction('/v1/problems/{id}/close');
  return (
    <ActionForm
      title="Close the problem"
      explanation={explainClose(problem)}
      submit="Close the problem"
      isDangerous
      comment="required"
      error={action.error}
      isPending={action.isPending}
      onSubmit={(comment = '') =>
        action.mutate(
          { parts: { id: problem.id }, body: { comment } },
          { onSuccess: (request) => onSent({ request, done: () => `Closed: ${titleOf(problem)}.` }) },
        )
      }
      onClose={onClose}
    />
  );
}
