"""A WebRTC client on aiortc: plays a session with one codec, steers, and prints what it saw as JSON.

Arguments: base URL, session id, token, codec (video/H264 or video/VP8).
"""

import asyncio
import json
import sys
import urllib.request

import aioice.ice
from aiortc import RTCPeerConnection, RTCRtpReceiver, RTCSessionDescription

# The server is on this machine; the library leaves loopback out.
aioice.ice.get_host_addresses = lambda use_ipv4, use_ipv6: ["127.0.0.1"]

PATIENCE_SECONDS = 60


async def main(base, session_id, token, codec):
    connection = RTCPeerConnection()
    transceiver = connection.addTransceiver("video", direction="recvonly")
    codecs = RTCRtpReceiver.getCapabilities("video").codecs
    transceiver.setCodecPreferences([each for each in codecs if each.mimeType == codec])
    inputs = connection.createDataChannel("input", ordered=False, maxRetransmits=0)
    control = connection.createDataChannel("control")
    frames = connection.createDataChannel("frames", ordered=False, maxRetransmits=0)
    connected = asyncio.get_running_loop().create_future()
    steered = asyncio.get_running_loop().create_future()

    @control.on("message")
    def on_control(text):
        message = json.loads(text)
        if message["type"] == "connected" and not connected.done():
            connected.set_result(message)

    @frames.on("message")
    def on_frame(text):
        if json.loads(text).get("inputSequence", 0) > 0 and not steered.done():
            steered.set_result(True)

    await connection.setLocalDescription(await connection.createOffer())
    request = urllib.request.Request(
        f"{base}api/sessions/{session_id}/offer",
        data=json.dumps({"type": "offer", "sdp": connection.localDescription.sdp}).encode(),
        headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
    )
    answer = json.loads(await asyncio.to_thread(lambda: urllib.request.urlopen(request).read()))
    await connection.setRemoteDescription(RTCSessionDescription(answer["sdp"], answer["type"]))

    async def play():
        first = await transceiver.receiver.track.recv()
        hello = await connected
        state = {"codes": ["KeyW"], "pressCounts": {"KeyW": 1}, "epoch": hello["epoch"]}
        sequence = 0
        # The channel may lose a message, so the state is sent until one was seen.
        while not steered.done():
            sequence += 1
            message = {
                "type": "input",
                "version": 1,
                "sequence": sequence,
                "epoch": hello["epoch"],
                "states": [{"eventType": "keys_state", "payload": state}],
            }
            inputs.send(json.dumps(message))
            await asyncio.wait([steered], timeout=0.1)
        for _ in range(5):
            await transceiver.receiver.track.recv()
        return {
            "codec": hello["codec"],
            "width": first.width,
            "height": first.height,
            "steered": True,
        }

    try:
        print(json.dumps(await asyncio.wait_for(play(), PATIENCE_SECONDS)))
    finally:
        await connection.close()


asyncio.run(main(*sys.argv[1:]))
