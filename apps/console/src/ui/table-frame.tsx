import { useRef, type ReactNode } from 'react';
import { useOverflow } from './use-overflow.js';

interface TableFrameProps {
  /** What the table has, for people who do not see the page. */
  readonly label: string;
  readonly children: ReactNode;
}

/** Scrolls a table that is wider than its place, also by keyboard. */
export function TableFrame({ label, children }: TableFrameProps) {
  const frame = useRef<HTMLDivElement>(null);
  const isWider = useOverflow(frame);
  return (
    <div className="table-part">
      {isWider && <p className="hint table-hint">There is more at the right: scroll this table.</p>}
      <div
        ref={frame}
        className="table-frame"
        {...(isWider && { role: 'region', 'aria-label': label, tabIndex: 0 })}
      >
        {children}
      </div>
    </div>
  );
}
