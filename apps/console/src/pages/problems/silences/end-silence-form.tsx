import { useAction } from '../../../api/actions.js';
import type { SilenceRow } from '../../../api/operations.js';
import { ActionForm } from '../../../ui/action-form.js';
import type { SentRequest } from '../../../ui/action-result.js';
import { describeMatchers } from './silence-matchers.js';

interface EndSilenceFormProps {
  readonly silence: SilenceRow;
  readonly onSent: (sent: SentRequest) => void;
  readonly onClose: () => void;
}

export function EndSilenceForm({ silence, onSent, onClose }: EndSilenceFormProps) {
  const action = useAction('/v1/silences/{id}/end');
  return (
    <ActionForm
      title="End the silence"
      explanation={`Messages about ${describeMatchers(silence.matchers)} are sent again. Each sink gets one reminder of every problem that is still open and not acknowledged.`}
      submit="End the silence"
      comment="optional"
      error={action.error}
      isPending={action.isPending}
      onSubmit={(comment) =>
        action.mutate(
          { parts: { id: silence.id }, body: comment === undefined ? {} : { comment } },
          { onSuccess: (request) => onSent({ request, done: () => 'The silence has ended.' }) },
        )
      }
      onClose={onClose}
    />
  );
}
