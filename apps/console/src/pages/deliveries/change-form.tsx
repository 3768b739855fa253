import { useRef, useState } from 'react';
import { useAction } from '../../api/actions.js';
import type { DeliveryRow } from '../../api/operations.js';
import { countOf } from '../../format/count.js';
import { ActionForm } from '../../ui/action-form.js';
import type { SentRequest } from '../../ui/action-result.js';
import { describeChanged, toBodies, withoutNamed, type DeliveryAction } from './delivery-selection.js';

interface ChangeFormProps {
  readonly action: DeliveryAction;
  /** Those to which the action applies. */
  readonly deliveries: readonly DeliveryRow[];
  /** Called with all requests that were sent so far. */
  readonly onSent: (sent: readonly SentRequest[]) => void;
  readonly onClose: () => void;
}

const TEXTS = {
  resend: {
    title: 'Resend',
    submit: 'Resend',
    explanation:
      'is attempted again at once, with the same id and content. The receiver drops what it has already.',
  },
  skip: {
    title: 'Skip',
    submit: 'Skip',
    explanation:
      'ends without being delivered. The people of the sink do not get it; it can be resent later.',
  },
} as const;

/** Resends or skips deliveries. */
export function ChangeForm({ action, deliveries: given, onSent, onClose }: ChangeFormProps) {
  // The page forgets its selection once the first request is sent. After a failure, only the others are sent again.
  const [deliveries, setDeliveries] = useState(given);
  const sent = useRef<readonly SentRequest[]>([]);
  const { title, submit, explanation } = TEXTS[action];
  const request = useAction(`/v1/deliveries/${action}`);
  const [isSending, setIsSending] = useState(false);
  const sinks = [...new Set(deliveries.map(({ sink }) => sink))];
  const send = async (comment: string | undefined): Promise<void> => {
    setIsSending(true);
    try {
      for (const body of toBodies(action, deliveries, comment)) {
        const row = await request.mutateAsync({ body });
        const done: SentRequest['done'] = (ended) => describeChanged(action, body.sink ?? '', ended);
        sent.current = [...sent.current, { request: row, done }];
        onSent(sent.current);
        setDeliveries((before) => withoutNamed(before, body));
      }
      onClose();
    } catch {
      // The form shows the error of the action.
      setIsSending(false);
    }
  };
  return (
    <ActionForm
      title={title}
      explanation={`${countOf(deliveries.length, 'delivery', 'deliveries')} to ${sinks.join(', ')}: each ${explanation}`}
      submit={submit}
      isDangerous={action === 'skip'}
      comment="optional"
      error={request.error}
      isPending={isSending}
      onSubmit={(comment) => void send(comment)}
      onClose={onClose}
    />
  );
}
