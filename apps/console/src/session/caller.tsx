import { createContext, useContext } from 'react';
import type { CallerAccess } from '../api/operations.js';

/** Who is signed in, and what that person may do. */
export const CallerContext = createContext<CallerAccess>({
  name: '',
  role: 'viewer',
  allParticipants: false,
});

export const useCaller = (): CallerAccess => useContext(CallerContext);

/** Whether the person may send requests; a viewer only reads. */
export const useMayAct = (): boolean => useCaller().role === 'operator';
