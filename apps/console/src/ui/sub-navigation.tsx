import { Link } from '@tanstack/react-router';
import './sub-navigation.css';

export interface Part {
  /** Path of a page. */
  readonly to: string;
  readonly label: string;
}

interface SubNavigationProps {
  /** What the pages are parts of, for people who do not see the page. */
  readonly label: string;
  readonly parts: readonly Part[];
}

/** Links between the pages that are parts of one. */
export function SubNavigation({ label, parts }: SubNavigationProps) {
  return (
    <nav className="sub-navigation" aria-label={label}>
      {parts.map(({ to, label: name }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: true, includeSearch: false }}
          activeProps={{ 'aria-current': 'page' }}
        >
          {name}
        </Link>
      ))}
    </nav>
  );
}
