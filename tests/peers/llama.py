"""Serves a model file with llama.cpp: python llama.py MODEL.gguf PORT [TEMPLATE]"""

import sys
import time

from xllamacpp import CommonParams, Server

params = CommonParams()
params.model.path = sys.argv[1]
params.hostnames = ["127.0.0.1"]
params.port = int(sys.argv[2])
params.n_ctx = 2048
params.n_parallel = 1
params.model_alias = {"smollm2"}
params.use_jinja = True
if len(sys.argv) > 3:
    with open(sys.argv[3], encoding="utf-8") as template:
        params.chat_template = template.read()
server = Server(params)
while True:
    time.sleep(3600)
