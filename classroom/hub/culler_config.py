"""The settings of the idle culler. The hub learns minutes later what students do; the proxy knows it at once."""

import json
import os
from datetime import UTC, datetime, timedelta

from tornado.httpclient import AsyncHTTPClient, HTTPRequest


async def is_idle(*, inactive: timedelta, inactive_limit: int, server: dict, **_) -> bool:
    """Whether to end a server: the hub thinks so, and nothing has passed through the proxy for as long."""
    if inactive.total_seconds() < inactive_limit:
        return False
    token = {"Authorization": f"token {os.environ['CONFIGPROXY_AUTH_TOKEN']}"}
    answer = await AsyncHTTPClient().fetch(HTTPRequest(os.environ["PROXY_ROUTES"], headers=token))
    seen = json.loads(answer.body)[server["url"].rstrip("/")]["last_activity"]
    passed = datetime.now(UTC) - datetime.fromisoformat(seen)
    return passed.total_seconds() >= inactive_limit


if "get_config" in globals():  # the culler reads this file
    get_config().IdleCuller.cull_arbiter_hook = is_idle  # noqa: F821
