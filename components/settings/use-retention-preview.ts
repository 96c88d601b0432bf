'use client';
import { useEffect, useState } from 'react';
import type { RetentionPreview } from '@/core/api/retention';
import { readAgain } from './send-change';

/** What a retention would delete, and the question that it answers. */
interface Foretold {
  question: string;
  preview: RetentionPreview;
}

/** Typing asks once it rests. */
const TYPING_MS = 250;

/**
 * What the retention that is typed would delete; null: nothing to ask, or not known yet.
 * @param question the retention as the API asks for it; null: it is as it was, or is none
 */
export function useRetentionPreview(
  path: string,
  question: string | null,
): {
  due: RetentionPreview | null;
  /** Whether it was said what is deleted; asks where it was not, and says what failed. */
  isForetold: (say: (notice: string) => void) => Promise<boolean>;
} {
  const [foretold, setForetold] = useState<Foretold | null>(null);
  const due = foretold !== null && foretold.question === question ? foretold.preview : null;

  useEffect(() => {
    if (question === null) return;
    let isLeft = false;
    const timer = setTimeout(async () => {
      const preview = await readAgain<RetentionPreview>(`${path}/retention?${question}`);
      if (!isLeft && preview.ok) setForetold({ question, preview: preview.value });
    }, TYPING_MS);
    return () => {
      isLeft = true;
      clearTimeout(timer);
    };
  }, [question, path]);

  return {
    due,
    async isForetold(say) {
      if (question === null || due !== null) return true;
      const preview = await readAgain<RetentionPreview>(`${path}/retention?${question}`);
      if (!preview.ok) {
        say(`What would be deleted could not be read, so nothing was saved. ${preview.reason}`);
        return false;
      }
      setForetold({ question, preview: preview.value });
      return preview.value.due.transcripts === 0;
    },
  };
}
