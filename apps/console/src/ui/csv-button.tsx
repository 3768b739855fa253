import { useState } from 'react';
import type { ListingPath, Parts } from '../api/api-client.js';
import { downloadCsv } from '../api/csv.js';
import { Button } from './button.js';
import { ErrorNote } from './notes.js';

interface CsvButtonProps {
  readonly path: ListingPath;
  readonly parts?: Parts;
  /** The filters of the listing, with the largest `limit` that it has. */
  readonly query: Parameters<typeof downloadCsv>[2];
  readonly fileName: string;
  /** On the button, where a page has several. */
  readonly label?: string;
}

/** Saves all rows of a listing for a spreadsheet, and shows why that failed. */
export function CsvButton({ path, parts = {}, query, fileName, label = 'Download CSV' }: CsvButtonProps) {
  const [isReading, setIsReading] = useState(false);
  const [error, setError] = useState<Error>();
  const download = async (): Promise<void> => {
    setIsReading(true);
    setError(undefined);
    await downloadCsv(path, parts, query, fileName).catch(setError);
    setIsReading(false);
  };
  return (
    <>
      <Button disabled={isReading} onClick={() => void download()}>
        {isReading ? 'Reading…' : label}
      </Button>
      {error && <ErrorNote error={error} />}
    </>
  );
}
