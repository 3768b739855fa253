import { Link } from '@tanstack/react-router';
import './choices.css';

interface ChoicesProps {
  /** What is chosen, for people who do not see the page. */
  readonly label: string;
  readonly choices: readonly {
    readonly label: string;
    readonly isChosen: boolean;
    /** Filters of the address of this page. */
    readonly search: Readonly<Record<string, string | undefined>>;
  }[];
}

/** A few ways to look at a page, each with its own address. */
export function Choices({ label, choices }: ChoicesProps) {
  return (
    <nav className="choices" aria-label={label}>
      {choices.map(({ label: text, isChosen, search }) => (
        <Link
          key={text}
          to="."
          resetScroll={false}
          search={search}
          activeProps={{}}
          className={isChosen ? 'choice chosen' : 'choice'}
          aria-current={isChosen ? 'true' : 'false'}
        >
          {text}
        </Link>
      ))}
    </nav>
  );
}
