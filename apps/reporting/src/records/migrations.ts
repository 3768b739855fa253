import type { Migration } from '@ssb/database';

/**
 * What was published, one table a resource of document 000. The document itself is kept as text, exactly as it will be
 * served: a decimal(23,8) does not survive a JSON column read as doubles. The columns beside it are only what
 * records are found by. `sequence` is the order of loading. The timeline is the market's, the rest a participant's own.
 */
export const migrations: readonly Migration[] = [
  {
    id: '001-records',
    sql: `
      CREATE TABLE prudential (
        sequence bigserial PRIMARY KEY,
        participant text NOT NULL,
        trading_day date NOT NULL,
        calculated_at timestamp NOT NULL,
        is_forecast boolean NOT NULL,
        document text NOT NULL,
        summary text NOT NULL,
        UNIQUE (participant, is_forecast, calculated_at, trading_day)
      );
      CREATE TABLE statement (
        sequence bigserial PRIMARY KEY,
        participant text NOT NULL,
        market_service text NOT NULL,
        period_from date NOT NULL,
        designation text NOT NULL,
        run_id integer NOT NULL,
        document text NOT NULL,
        UNIQUE (participant, market_service, period_from, designation, run_id)
      );
      CREATE TABLE invoice (
        sequence bigserial PRIMARY KEY,
        participant text NOT NULL,
        market_service text NOT NULL,
        period_from date NOT NULL,
        designation text NOT NULL,
        invoice_id text NOT NULL,
        invoice_date date NOT NULL,
        document text NOT NULL,
        UNIQUE (participant, market_service, period_from, designation, invoice_id)
      );
      CREATE TABLE cycle (
        market_service text NOT NULL,
        period_from date NOT NULL,
        invoice_dates text[] NOT NULL,
        document text NOT NULL,
        PRIMARY KEY (market_service, period_from)
      );
    `,
  },
  {
    // Figures of a day for operations 3, 4, 6 and 7. They are nearly all of the store and stored packed by us, so the database need not
    // try. `file` is the PDF of operation 8, packed by its own form.
    id: '002-details',
    sql: `
      CREATE TABLE prudential_detail (
        sequence bigserial PRIMARY KEY,
        participant text NOT NULL,
        trading_day date NOT NULL,
        calculated_at timestamp NOT NULL,
        digest text NOT NULL,
        packed bytea NOT NULL,
        UNIQUE (participant, trading_day, calculated_at)
      );
      ALTER TABLE prudential_detail ALTER COLUMN packed SET STORAGE EXTERNAL;
      CREATE TABLE prudential_estimation (
        sequence bigserial PRIMARY KEY,
        participant text NOT NULL,
        trading_day date NOT NULL,
        calculated_at timestamp NOT NULL,
        digest text NOT NULL,
        packed bytea NOT NULL,
        UNIQUE (participant, trading_day, calculated_at)
      );
      ALTER TABLE prudential_estimation ALTER COLUMN packed SET STORAGE EXTERNAL;
      CREATE TABLE statement_detail (
        sequence bigserial PRIMARY KEY,
        participant text NOT NULL,
        market_service text NOT NULL,
        trading_day date NOT NULL,
        designation text NOT NULL,
        run_id integer NOT NULL,
        digest text NOT NULL,
        packed bytea NOT NULL,
        UNIQUE (participant, market_service, trading_day, designation, run_id)
      );
      ALTER TABLE statement_detail ALTER COLUMN packed SET STORAGE EXTERNAL;
      CREATE TABLE statement_estimation (
        sequence bigserial PRIMARY KEY,
        participant text NOT NULL,
        period_from date NOT NULL,
        designation text NOT NULL,
        trading_day date NOT NULL,
        run_id integer NOT NULL,
        digest text NOT NULL,
        packed bytea NOT NULL,
        UNIQUE (participant, period_from, designation, trading_day, run_id)
      );
      ALTER TABLE statement_estimation ALTER COLUMN packed SET STORAGE EXTERNAL;
      ALTER TABLE invoice ADD COLUMN file bytea;
      ALTER TABLE invoice ALTER COLUMN file SET STORAGE EXTERNAL;
      CREATE INDEX prudential_range ON prudential (participant, trading_day, calculated_at);
      ALTER TABLE cycle ADD COLUMN sequence bigserial;
      CREATE UNIQUE INDEX cycle_sequence ON cycle (sequence);
    `,
  },
];
