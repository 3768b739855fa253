import { useAction } from '../../api/actions.js';
import type { RequestRow, SinkRow } from '../../api/operations.js';
import { countOf } from '../../format/count.js';
import { ActionForm } from '../../ui/action-form.js';
import type { SentRequest } from '../../ui/action-result.js';
import { describeChanged, type DeliveryAction } from './delivery-selection.js';
import { ReplayForm } from './replay-form.js';
import { describeTest } from './sink-states.js';

type SinkAction = 'test' | 'enable' | 'disable';

export type SinkFormName = SinkAction | DeliveryAction | 'replay';

interface ActionTexts {
  readonly title: string;
  readonly explanation: string;
  readonly comment: 'optional' | 'required';
  readonly done: (name: string, request: RequestRow) => string;
}

const alreadyOf = ({ result }: RequestRow): string => (result?.['changed'] === false ? ' already' : '');

const TEXTS: Readonly<Record<SinkAction, ActionTexts>> = {
  test: {
    title: 'Test',
    explanation: 'One test message is sent, also when the sink is failing or disabled. Its receivers see it.',
    comment: 'optional',
    done: describeTest,
  },
  enable: {
    title: 'Enable',
    explanation: 'Deliveries to the sink begin again, with those that waited.',
    comment: 'optional',
    done: (name, request) => `${name} is enabled${alreadyOf(request)}.`,
  },
  disable: {
    title: 'Disable',
    explanation: 'The sink gets nothing until it is enabled, not even a breach. Its deliveries are kept.',
    comment: 'required',
    done: (name, request) => `${name} is disabled${alreadyOf(request)}.`,
  },
};

interface FormProps {
  readonly onSent: (sent: readonly SentRequest[]) => void;
  readonly onClose: () => void;
}

/** A form about a sink. */
export function SinkForm({
  form,
  sink,
  ...rest
}: FormProps & { readonly form: SinkFormName; readonly sink: SinkRow }) {
  switch (form) {
    case 'replay':
      return <ReplayForm sink={sink.name} {...rest} />;
    case 'resend':
    case 'skip':
      return <BacklogForm action={form} sink={sink} {...rest} />;
    case 'test':
    case 'enable':
    case 'disable':
      return <SinkActionForm action={form} name={sink.name} {...rest} />;
  }
}

/** Tests, enables or disables a sink. */
function SinkActionForm({
  action,
  name,
  onSent,
  onClose,
}: FormProps & { readonly action: SinkAction; readonly name: string }) {
  const { title, explanation, comment, done } = TEXTS[action];
  const request = useAction(`/v1/sinks/{name}/${action}`);
  return (
    <ActionForm
      title={`${title} ${name}`}
      explanation={explanation}
      submit={title}
      isDangerous={action === 'disable'}
      comment={comment}
      error={request.error}
      isPending={request.isPending}
      onSubmit={(text) =>
        request.mutate(
          { parts: { name }, body: text === undefined ? {} : { comment: text } },
          {
            onSuccess: (row) => {
              onSent([{ request: row, done: (ended) => done(name, ended) }]);
              onClose();
            },
          },
        )
      }
      onClose={onClose}
    />
  );
}

/** Resends what a sink refused, or skips all that waits for a former sink. */
function BacklogForm({
  action,
  sink: { name, parked, pending },
  onSent,
  onClose,
}: FormProps & { readonly action: DeliveryAction; readonly sink: SinkRow }) {
  const request = useAction(`/v1/deliveries/${action}`);
  const isResend = action === 'resend';
  const count = countOf(isResend ? parked : parked + pending, 'delivery', 'deliveries');
  return (
    <ActionForm
      title={isResend ? `Resend all parked of ${name}` : `Skip all of ${name}`}
      explanation={
        isResend
          ? `${count} that ${name} refused: all are attempted again at once. What it still refuses is parked again.`
          : `${count} to ${name} end without being delivered.`
      }
      submit={isResend ? 'Resend' : 'Skip'}
      isDangerous={!isResend}
      comment="optional"
      error={request.error}
      isPending={request.isPending}
      onSubmit={(comment) =>
        request.mutate(
          {
            body: {
              sink: name,
              states: isResend ? ['parked'] : ['pending', 'parked'],
              ...(comment !== undefined && { comment }),
            },
          },
          {
            onSuccess: (row) => {
              onSent([{ request: row, done: (ended) => describeChanged(action, name, ended) }]);
              onClose();
            },
          },
        )
      }
      onClose={onClose}
    />
  );
}
