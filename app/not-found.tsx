import { Missing } from '@/components/ui/page-head';

export default function NotFound() {
  return (
    <Missing title="Page not found" href="/" link="Open the fleet">
      The address may be mistyped, or its content was deleted. The fleet lists all known sessions.
    </Missing>
  );
}
