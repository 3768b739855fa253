import type { ReactNode } from 'react';
import { useCaller } from '../../session/caller.js';
import { Note } from '../../ui/notes.js';
import { Page } from '../../ui/page.js';
import { SubNavigation } from '../../ui/sub-navigation.js';
import './operations.css';

const PAGES = [
  { to: '/operations', label: 'Status' },
  { to: '/operations/dead-letters', label: 'Dead letters' },
  { to: '/operations/quarantine', label: 'Quarantine' },
  { to: '/operations/audit', label: 'Audit log' },
] as const;

interface OperationsFrameProps {
  readonly title: string;
  /** When the data of the page were read, epoch milliseconds. */
  readonly readAt: number;
  readonly intro?: ReactNode;
  readonly children: ReactNode;
}

/** The frame of the pages about the bridge itself. */
export function OperationsFrame({ title, readAt, intro, children }: OperationsFrameProps) {
  return (
    <Page
      title={title}
      readAt={readAt}
      intro={
        <>
          <SubNavigation label="Operations" parts={PAGES} />
          {intro}
        </>
      }
    >
      {children}
    </Page>
  );
}

/** Explains to people who see some participants only why there is nothing here; nothing is read for them. */
export function ForAllParticipants({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ReactNode;
}) {
  const { allParticipants, participants = [] } = useCaller();
  if (allParticipants) return children;
  return (
    <Page title={title}>
      <Note kind="info">
        This page is about the whole bridge, so it needs access to all participants. You see{' '}
        {participants.length === 0 ? 'none' : participants.join(', ')}. Ask your administrator for more
        access.
      </Note>
    </Page>
  );
}
