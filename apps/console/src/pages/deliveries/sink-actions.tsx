import { useState } from 'react';
import { useAction } from '../../api/actions.js';
import type { RequestRow, SinkRow } from '../../api/operations.js';
import { useMayAct } from '../../session/caller.js';
import { ActionForm } from '../../ui/action-form.js';
import type { SentRequest } from '../../ui/action-result.js';
import { Button } from '../../ui/button.js';
import { ReplayForm } from './replay-form.js';
import { describeTest } from './sink-states.js';

type SinkAction = 'test' | 'enable' | 'disable';

interface SinkActionsProps {
  readonly sink: SinkRow;
  readonly onSent: (sent: readonly SentRequest[]) => void;
}

/** What the person can do about a sink, or why nothing. */
export function SinkActions({ sink, onSent }: SinkActionsProps) {
  const mayAct = useMayAct();
  const [open, setOpen] = useState<SinkAction | 'replay'>();
  const { name, state, inConfigFile } = sink;
  if (!mayAct) return <p className="hint">Only operators test, enable and disable sinks.</p>;
  if (!inConfigFile)
    return (
      <p className="hint">It can only be emptied: skip its deliveries, or add it to CONFIG_FILE again.</p>
    );
  const close = (): void => setOpen(undefined);
  return (
    <>
      <div className="buttons">
        <Button onClick={() => setOpen('test')} aria-label={`Test ${name}`}>
          Test…
        </Button>
        <Button onClick={() => setOpen('replay')} aria-label={`Replay for ${name}`}>
          Replay…
        </Button>
        {state === 'disabled' ? (
          <Button kind="primary" onClick={() => setOpen('enable')} aria-label={`Enable ${name}`}>
            Enable…
          </Button>
        ) : (
          <Button kind="danger" onClick={() => setOpen('disable')} aria-label={`Disable ${name}`}>
            Disable…
          </Button>
        )}
      </div>
      {open === 'replay' && <ReplayForm sink={name} onSent={onSent} onClose={close} />}
      {open !== undefined && open !== 'replay' && (
        <SinkForm action={open} name={name} onSent={onSent} onClose={close} />
      )}
    </>
  );
}

const TEXTS: Readonly<
  Record<
    SinkAction,
    {
      readonly title: string;
      readonly explanation: string;
      readonly comment: 'optional' | 'required';
      readonly done: (name: string, request: RequestRow) => string;
    }
  >
> = {
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

const alreadyOf = ({ result }: RequestRow): string => (result?.['changed'] === false ? ' already' : '');

interface SinkFormProps {
  readonly action: SinkAction;
  readonly name: string;
  readonly onSent: (sent: readonly SentRequest[]) => void;
  readonly onClose: () => void;
}

function SinkForm({ action, name, onSent, onClose }: SinkFormProps) {
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
          // The form requires the comment where the API does.
          { parts: { name }, body: (text === undefined ? {} : { comment: text }) as { comment: string } },
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
