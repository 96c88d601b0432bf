import { Missing } from '@/components/ui/page-head';

export default function SessionNotFound() {
  return (
    <Missing title="Session not found" href="/" link="All sessions">
      This server has no session with this address: it was deleted, never reported, or the address is
      incomplete.
    </Missing>
  );
}
