import { useEffect, useState } from 'react';
import { toMarketDay } from '../format/market-time.js';

const CHECK_MS = 30_000;

/** The day of the market now. A page renders again only when the day changes. */
export function useToday(): string {
  const [today, setToday] = useState(() => toMarketDay(Date.now()));
  useEffect(() => {
    const timer = setInterval(() => setToday(toMarketDay(Date.now())), CHECK_MS);
    return () => clearInterval(timer);
  }, []);
  return today;
}
